import Glibc

/// What was seen to happen to the watched files.
struct FileChanges: Hashable, Sendable {
  /// Those that were written and closed, replaced, removed or made, or are led to by another way.
  var changed: Set<WatchedFile> = []
  /// Those that somebody writes to.
  var written: Set<WatchedFile> = []
}

/// Tells when the files behind paths are changed, replaced, removed or restored.
///
/// What a path leads to is decided by a name in each directory on the way, links included. Each of
/// these names is watched in its directory, from the root on, so that it does not matter whether
/// the file itself, a link or a directory above it is replaced, or is not there yet.
///
/// Changes on another computer's disk are not told by the system.
///
/// - SeeAlso: `inotify(7)`.
struct FileWatch: ~Copyable {
  /// Names and paths are bytes, as the system has them.
  private typealias Bytes = [UInt8]

  /// A directory with the names in it that matter.
  private struct Directory {
    var files: [Bytes: Set<WatchedFile>] = [:]
    var all: Set<WatchedFile> = []

    func merged(with other: Directory) -> Directory {
      Directory(
        files: files.merging(other.files) { $0.union($1) }, all: all.union(other.all))
    }
  }

  private static let ancestorEvents =
    UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)
    | UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
  private static let fileEvents =
    ancestorEvents | UInt32(IN_CLOSE_WRITE) | UInt32(IN_MODIFY)
  /// The events after which a path may lead somewhere else.
  private static let turns = ancestorEvents | UInt32(IN_UNMOUNT) | UInt32(IN_IGNORED)

  /// To be polled for reading.
  let descriptor: Int32

  private var paths: [WatchedFile: [String]]
  private var directories: [Int32: Directory] = [:]

  /// The directories that hold a watched file and may not be watched.
  private(set) var closedDirectories: Set<String> = []

  /// Why not all that is on the way to the files is watched, so that changes may be missed.
  private(set) var failure: SystemFailure?

  /// Watches files by their absolute paths, of which one may have several, whether they are there
  /// or not.
  ///
  /// - Throws: `SystemFailure` if the system cannot give what it takes.
  init(_ paths: [WatchedFile: [String]]) throws(SystemFailure) {
    self.paths = paths
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    if descriptor < 0 { throw .last }
    follow()
    if let failure { throw failure }
  }

  deinit {
    close(descriptor)
  }

  /// Watches other files from now on.
  mutating func watch(_ paths: [WatchedFile: [String]]) {
    self.paths = paths
    follow()
  }

  /// Takes what has happened since the last call, without waiting.
  mutating func read() -> FileChanges {
    var changes = FileChanges()
    var mustFollow = failure != nil
    var buffer = [UInt8](repeating: 0, count: 16_384)
    // Who makes changes without end shall not keep the program from doing anything else.
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
    let files = event.name.isEmpty ? directory.all : directory.files[event.name] ?? []
    if files.isEmpty { return false }
    if event.mask & ~UInt32(IN_MODIFY) & (Self.fileEvents | Self.turns) != 0 {
      changes.changed.formUnion(files)
    } else {
      changes.written.formUnion(files)
    }
    return event.mask & Self.turns != 0
  }
}

// The ways to the files.
extension FileWatch {
  /// Links followed in one path before it is taken for a loop, as the kernel does;
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
        do throws(SystemFailure) {
          try follow(file, path, &found)
        } catch {
          failure = error
        }
      }
    }
    if failure != nil {
      // What is known already is better than nothing.
      found.merge(directories) { $0.merged(with: $1) }
    }
    for watch in directories.keys where found[watch] == nil {
      inotify_rm_watch(descriptor, watch)
    }
    directories = found
  }

  private mutating func follow(
    _ file: WatchedFile, _ path: String, _ found: inout [Int32: Directory]
  ) throws(SystemFailure) {
    var directory: Bytes = []
    var rest = Self.names(in: Array(path.utf8))
    var links = 0
    while let name = rest.popLast() {
      if name == Array("..".utf8) {
        // Only real directories are on the way, so that the one above is the one before.
        directory = Array(directory[..<(directory.lastIndex(of: Self.slash) ?? 0)])
        continue
      }
      guard try watch(directory, for: name, file, isLast: rest.isEmpty, &found) else { return }
      let place = directory + [Self.slash] + name
      if let target = SymbolicLink.target(of: place) {
        links += 1
        guard links <= Self.mostLinks else { return }
        if target.first == Self.slash { directory = [] }
        rest += Self.names(in: target)
      } else {
        directory = place
      }
    }
  }

  /// - Returns: whether there is anything beyond.
  private mutating func watch(
    _ directory: Bytes, for name: Bytes, _ file: WatchedFile, isLast: Bool,
    _ found: inout [Int32: Directory]
  ) throws(SystemFailure) -> Bool {
    let path = directory.isEmpty ? [Self.slash] : directory
    // Two files may share a directory: what is watched for one must stay so for the other.
    let mask =
      (isLast ? Self.fileEvents : Self.ancestorEvents) | UInt32(IN_ONLYDIR)
      | UInt32(IN_DONT_FOLLOW) | UInt32(IN_MASK_ADD)
    let watch = unsafe inotify_add_watch(descriptor, path.cString, mask)
    if watch >= 0 {
      found[watch, default: Directory()].files[name, default: []].insert(file)
      found[watch]?.all.insert(file)
      return true
    }
    let failure = SystemFailure.last
    switch failure.number {
    case ENOENT, ENOTDIR:
      // It was replaced in this moment, of which the directory above tells.
      return false
    case EACCES, EPERM:
      // A directory that may be passed but not listed cannot be watched; what is below it can.
      if isLast { closedDirectories.insert(String(decoding: path, as: UTF8.self)) }
      return true
    default:
      throw failure
    }
  }

  private static let slash = UInt8(ascii: "/")

  /// The names in a path, the last one first; `.` is none.
  private static func names(in path: Bytes) -> [Bytes] {
    path.split(separator: slash).map(Array.init).filter { $0 != [UInt8(ascii: ".")] }.reversed()
  }
}

/// One event, as the system writes it.
private struct Event {
  let watch: Int32
  let mask: UInt32
  /// Without the zero bytes behind it; empty if it concerns the directory itself.
  let name: [UInt8]

  init?(takingFrom bytes: inout ArraySlice<UInt8>) {
    let header = MemoryLayout<inotify_event>.size
    guard bytes.count >= header else { return nil }
    let event = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: inotify_event.self) }
    watch = event.wd
    mask = event.mask
    name = bytes.dropFirst(header).prefix(Int(event.len)).prefix { $0 != 0 }.map(\.self)
    bytes = bytes.dropFirst(header + Int(event.len))
  }
}
