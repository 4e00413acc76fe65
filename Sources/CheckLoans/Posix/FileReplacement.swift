import CLinux
import Glibc

/// A new file that takes the place of another one, or of none, once it is whole; else it leaves
/// nothing behind.
///
/// It has no name before that, where the file system can do so. Then a run that is killed leaves
/// nothing either, unless that happens in the moment between its getting a name and its taking the
/// place: the name is always the same for one place, and the next file that is to take it replaces what
/// was left. Elsewhere, on network disks for example, a run that is killed while it writes leaves a
/// `.check-loans-….tmp`. Symbolic links stay, and lead to the new file.
struct FileReplacement: ~Copyable {
  /// What did not succeed; the place is as it was.
  struct Failure: Error {
    enum Step: String {
      case directory = "its directory cannot be opened"
      case creation = "a new file cannot be made beside it"
      case permissions = "the permissions cannot be kept"
      case attributes = "its access control list or other attributes cannot be kept"
      case writing = "the new file cannot be written"
      case name = "the new file gets no name"
      case place = "it cannot be replaced"
    }

    let step: Step
    /// The number of errno(3).
    let number: Int32

    /// The failure of the call that has just returned.
    init(_ step: Step) {
      self.step = step
      number = errno
    }

    /// What cannot be done, and the system's words for why.
    var words: String { "\(step.rawValue): \(systemWords(number))" }
  }

  /// The new file, open for writing.
  let descriptor: Int32
  private let directory: Int32
  /// The file's name in its directory.
  private let name: [CChar]
  private var temporary: [CChar]
  /// Whether the new file has the name ``temporary``.
  private var isNamed: Bool

  private init(
    descriptor: Int32, directory: Int32, name: [CChar], temporary: [CChar], isNamed: Bool
  ) {
    self.descriptor = descriptor
    self.directory = directory
    self.name = name
    self.temporary = temporary
    self.isNamed = isNamed
  }

  deinit {
    if isNamed { unsafe unlinkat(directory, temporary, 0) }
    close(descriptor)
    close(directory)
  }

  /// Appends to the new file.
  ///
  /// - SeeAlso: `write(2)`.
  func write(_ bytes: [UInt8]) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw Failure(.writing) }
      rest = rest.dropFirst(count)
    }
  }

  /// Has the new file's content kept for good; its place is still that of the old one.
  ///
  /// - SeeAlso: `fsync(2)`.
  func sync() throws(Failure) {
    guard fsync(descriptor) == 0 else { throw Failure(.writing) }
  }

  /// Puts the new file in its place, and returns when it is there for good.
  ///
  /// - SeeAlso: `fsync(2)`, `linkat(2)`, `renameat(2)`.
  consuming func commit() throws(Failure) {
    try sync()
    if !isNamed {
      isNamed = linked()
      if !isNamed && errno == EEXIST {
        // What has the name is whole as well: no other run can be given half a file by this.
        if unsafe unlinkat(directory, temporary, 0) != 0 { temporary = Self.randomName() }
        isNamed = linked()
      }
      guard isNamed else { throw Failure(.name) }
    }
    guard unsafe renameat(directory, temporary, directory, name) == 0 else {
      throw Failure(.place)
    }
    isNamed = false
    // The new file is in its place already; a directory that cannot do this has done what it can.
    _ = fsync(directory)
  }
}

// Names.
extension FileReplacement {
  /// Gives the new file the name ``temporary``; whether that succeeded.
  private func linked() -> Bool {
    unsafe linkat(
      AT_FDCWD, Self.link(to: descriptor), directory, temporary, AT_SYMLINK_FOLLOW) == 0
  }

  /// The name that a file without one gets before it takes a place.
  static func passingName(for name: String) -> String {
    ".check-loans-\(name.stableHash.hexadecimal).tmp"
  }
}

// The beginning.
extension FileReplacement {
  /// A new file, with nothing in it yet.
  ///
  /// - Parameters:
  ///   - path: the place that it is to take.
  ///   - version: the file that is there, whose owner, permissions and attributes it gets; `nil`
  ///     for a file that anybody may read and write whom the umask lets.
  /// - SeeAlso: `open(2)`.
  static func begin(
    at path: String, like version: FileVersion? = nil
  ) throws(Failure) -> FileReplacement {
    let (folder, name) = place(of: path)
    let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw Failure(.directory) }
    let mode: mode_t = version == nil ? 0o666 : 0o600
    var temporary = Array(passingName(for: text(of: name)).utf8).cString
    var file = openNameless(directory, mode)
    let isNamed = file < 0
    if isNamed {
      temporary = randomName()
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      file = unsafe openat(directory, temporary, flags, mode)
    }
    guard file >= 0 else {
      let failure = Failure(.creation)
      close(directory)
      throw failure
    }
    let replacement = FileReplacement(
      descriptor: file, directory: directory, name: name, temporary: temporary, isNamed: isNamed)
    if let version { try replacement.keepAccess(of: path, version) }
    return replacement
  }

  /// The directory and the name in it, of what links lead to if it is there.
  ///
  /// - SeeAlso: `realpath(3)`.
  private static func place(of path: String) -> (folder: [CChar], name: [CChar]) {
    var bytes = path.utf8.map { CChar(bitPattern: $0) }
    if let real = unsafe realpath(path, nil) {
      unsafe bytes = Array(UnsafeBufferPointer(start: real, count: strlen(real)))
      unsafe free(real)
    }
    let slash = CChar(bitPattern: UInt8(ascii: "/"))
    let start = bytes.lastIndex(of: slash).map { $0 + 1 } ?? 0
    return (
      Array(bytes[..<start]) + [CChar(bitPattern: UInt8(ascii: ".")), 0], bytes[start...] + [0]
    )
  }

  private static func text(of name: [CChar]) -> String {
    String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func randomName() -> [CChar] {
    let number = String(UInt64.random(in: 0...(.max)), radix: 36)
    return Array(".check-loans-\(number).tmp".utf8).cString
  }

  /// - Returns: -1 where the file system has no files without a name, or they could not get one.
  /// - SeeAlso: `open(2)`, `proc(5)`.
  private static func openNameless(_ directory: Int32, _ mode: mode_t) -> Int32 {
    // O_TMPFILE, which Swift does not see.
    let flags = 0o20_000_000 | O_DIRECTORY | O_WRONLY | O_CLOEXEC
    let file = unsafe openat(directory, ".", flags, mode)
    guard file >= 0 else { return -1 }
    if unsafe access(link(to: file), F_OK) == 0 { return file }
    close(file)
    return -1
  }

  private static func link(to file: Int32) -> String { "/proc/self/fd/\(file)" }

  /// Gives the new file the owner and the permissions of the old one; where the group cannot be
  /// kept, nobody gets to do more than all could.
  ///
  /// - SeeAlso: `fchown(2)`, `fchmod(2)`.
  private func keepAccess(of path: String, _ version: FileVersion) throws(Failure) {
    guard let new = FileVersion(of: descriptor) else { throw Failure(.permissions) }
    var mode = version.mode
    if new.owner != version.owner, fchown(descriptor, version.owner, gid_t.max) != 0 {
      mode &= 0o1777
    }
    if new.group != version.group, fchown(descriptor, uid_t.max, version.group) != 0 {
      mode &= 0o1707 | (mode & 0o7) << 3
    }
    guard fchmod(descriptor, mode) == 0 else { throw Failure(.permissions) }
    guard unsafe check_loans_copy_attributes(path, descriptor) == 0 else {
      throw Failure(.attributes)
    }
  }
}
