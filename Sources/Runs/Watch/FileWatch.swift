import Glibc
import System
import SystemPackage

/// The changes that were seen in watched files.
struct FileChanges: Hashable, Sendable {
  /// Those that were written and closed, replaced, removed or made, or are led to by another way.
  var changed: Set<WatchEvent> = []
  /// Those that somebody writes to.
  var written: Set<WatchEvent> = []
}

/// Detects when the files that paths lead to are changed, replaced, removed or restored.
///
/// What a path leads to is decided by a name in each directory on the way, links included. Each of
/// these names is watched in its directory, from the root on, so that it does not matter whether
/// the file itself, a link or a directory above it is replaced, or is not there yet: for
/// `/srv/books.xml`, `srv` is watched in `/` and `books.xml` in `/srv`.
///
/// The system does not report changes that another computer makes on a network disk.
///
/// - SeeAlso: `inotify(7)`.
struct FileWatch: ~Copyable {
  private typealias Name = FilePath.Component

  /// The names in a directory that matter.
  private typealias Directory = [Name: Set<WatchEvent>]

  private static let ancestorEvents =
    UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)
    | UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
  /// The events after which a path leads where it did before.
  private static let contentEvents = UInt32(IN_CLOSE_WRITE) | UInt32(IN_MODIFY)

  /// To be polled for reading.
  let descriptor: Int32

  /// The watched files by their absolute paths.
  var paths: [WatchEvent: [String]] { didSet { follow() } }
  private var directories: [Int32: Directory] = [:]

  /// The directories that hold a watched file and may not be watched.
  private(set) var closedDirectories: Set<String> = []

  /// Why not all that is on the way to the files is watched, so that changes may be missed.
  private(set) var failure: Errno?

  /// Watches files by their absolute paths, of which one may have several, whether they are there
  /// or not.
  ///
  /// - Throws: `Errno` if the system cannot give what it takes.
  init(_ paths: [WatchEvent: [String]]) throws(Errno) {
    self.paths = paths
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    if descriptor < 0 { throw Errno.last }
    follow()
    if let failure { throw failure }
  }

  deinit {
    close(descriptor)
  }

  /// Takes what has happened since the last call, without waiting.
  mutating func read() -> FileChanges {
    var changes = FileChanges()
    var mustFollow = failure != nil
    var buffer = [UInt8](repeating: 0, count: 16_384)
    // Changes without end must not keep the program from doing anything else.
    for _ in 0..<64 {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      var events = buffer[..<count]
      while let event = Event(takingFrom: &events) {
        if take(event, &changes) { mustFollow = true }
      }
    }
    if mustFollow { follow() }
    return changes
  }

  /// - Returns: whether a path may lead somewhere else now.
  private func take(_ event: Event, _ changes: inout FileChanges) -> Bool {
    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
      changes.changed.formUnion(paths.keys)
      return true
    }
    // What is not known is an event of a watch that was given up.
    guard let directory = directories[event.watch] else { return false }
    let files =
      event.name.map { directory[$0] ?? [] } ?? directory.values.reduce([]) { $0.union($1) }
    if files.isEmpty { return false }
    if event.mask == UInt32(IN_MODIFY) {
      changes.written.formUnion(files)
    } else {
      changes.changed.formUnion(files)
    }
    return event.mask & ~Self.contentEvents != 0
  }
}

// MARK: - The ways to the files

extension FileWatch {
  /// The most links in one path; more are treated as a loop, as by the kernel;
  /// path_resolution(7).
  private static let mostLinks = 40

  /// Watches what is on the way to each file now, and nothing else.
  ///
  /// A directory is watched before a name in it is looked up, so that no change is missed in
  /// between. New watches come first, so that a directory that stays is never unwatched.
  private mutating func follow() {
    var found: [Int32: Directory] = [:]
    closedDirectories = []
    failure = nil
    for (file, paths) in paths {
      for path in paths {
        do throws(Errno) { try follow(file, path, &found) } catch { failure = error }
      }
    }
    if failure != nil {
      // What is known already is better than nothing.
      found.merge(directories) { $0.merging($1) { $0.union($1) } }
    }
    for watch in directories.keys where found[watch] == nil {
      inotify_rm_watch(descriptor, watch)
    }
    directories = found
  }

  private mutating func follow(
    _ file: WatchEvent, _ path: String, _ found: inout [Int32: Directory]
  ) throws(Errno) {
    var directory: FilePath = "/"
    var rest = Self.names(in: FilePath(path))
    var links = 0
    while let name = rest.popLast() {
      if name.kind == .parentDirectory {
        // Only real directories are on the way, so that the one above is the one before.
        directory.removeLastComponent()
        continue
      }
      // Two files may share a directory: what is watched for one must stay so for the other.
      let mask =
        Self.ancestorEvents | (rest.isEmpty ? Self.contentEvents : 0) | UInt32(IN_ONLYDIR)
        | UInt32(IN_DONT_FOLLOW) | UInt32(IN_MASK_ADD)
      let watch = unsafe directory.withPlatformString {
        unsafe inotify_add_watch(descriptor, $0, mask)
      }
      if watch >= 0 {
        found[watch, default: [:]][name, default: []].insert(file)
      } else {
        let failure = Errno.last
        // It was replaced in this moment, which shows in the directory above.
        if failure.isMissing { return }
        guard [.permissionDenied, .notPermitted].contains(failure) else { throw failure }
        // A directory that may be passed but not listed cannot be watched; what is below it can.
        if rest.isEmpty { closedDirectories.insert(directory.string) }
      }
      let place = directory.appending(name)
      if let target = FileSystem.linkTarget(of: place) {
        links += 1
        guard links <= Self.mostLinks else { return }
        if target.isAbsolute { directory = "/" }
        rest += Self.names(in: target)
      } else {
        directory = place
      }
    }
  }

  /// The names in a path, the last one first, without any `.`.
  private static func names(in path: FilePath) -> [Name] {
    path.components.filter { $0.kind != .currentDirectory }.reversed()
  }
}

/// One event, as the system writes it.
private struct Event {
  let watch: Int32
  let mask: UInt32
  /// `nil` if it concerns the directory itself.
  package let name: FilePath.Component?

  init?(takingFrom bytes: inout ArraySlice<UInt8>) {
    let header = MemoryLayout<inotify_event>.size
    guard bytes.count >= header else { return nil }
    let event = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: inotify_event.self) }
    watch = event.wd
    mask = event.mask
    let text = bytes.dropFirst(header).prefix(Int(event.len)).prefix { $0 != 0 }
    name = unsafe FilePath.Component(platformString: text.map { CChar(bitPattern: $0) } + [0])
    bytes = bytes.dropFirst(header + Int(event.len))
  }
}
