import CLinux
import Glibc
import Loans
import System
import SystemPackage

/// A new file that takes the place of another one, or of none, once it is whole; otherwise nothing is
/// left of it.
///
/// It has no name until then, where the file system can do that. So a run that is killed leaves nothing
/// either, unless it is killed in the moment between the file's getting a name and its taking the place:
/// that name is always the same for one place, and the next file for the place replaces what was left.
/// On other file systems, network disks for example, a run that is killed while it writes leaves a
/// `.check-loans-….tmp`. Symbolic links stay, and lead to the new file.
struct FileReplacement: ~Copyable {
  /// The step that failed; the place is as it was.
  struct Failure: Error {
    enum Step: String {
      case creation = "a new file cannot be made beside it"
      case owner = "its owner or group cannot be kept"
      case permissions = "the permissions cannot be kept"
      case attributes = "its access control list or other attributes cannot be kept"
      case writing = "the new file cannot be written"
      case name = "the new file cannot be given a name"
      case place = "it cannot be replaced"
    }

    let step: Step
    let errno: Errno

    /// The sentence about the step, with the system's words for why.
    var words: String { "\(step.rawValue): \(errno.words)" }
  }

  /// The new file, open for writing.
  let file: FileDescriptor
  private let place: String
  private var temporary: String
  /// Whether the new file has the name ``temporary``.
  private var isNamed = false

  deinit {
    if isNamed { try? FileSystem.remove(temporary) }
    try? file.close()
  }

  /// Appends to the new file.
  func write(_ bytes: [UInt8]) throws(Failure) {
    try Self.attempt(.writing) { _ = try file.writeAll(bytes) }
  }

  /// Has the new file's content kept for good; its place is still that of the old one.
  func sync() throws(Failure) {
    try Self.attempt(.writing) { try Self.sync(file) }
  }

  /// Puts the new file in its place, and returns when it is there for good.
  consuming func commit() throws(Failure) {
    try sync()
    if !isNamed { try giveName() }
    do throws(Errno) {
      try FileSystem.rename(temporary, to: place)
    } catch {
      throw Failure(step: .place, errno: error)
    }
    isNamed = false
    // The new file is in its place already; a directory that cannot do this has done what it can.
    if let directory = try? OpenFile(place.folder, options: .directory, followsLinks: true) {
      try? Self.sync(directory.descriptor)
    }
  }

  private mutating func giveName() throws(Failure) {
    do throws(Errno) {
      do throws(Errno) {
        try FileSystem.link(file, to: temporary)
      } catch .fileExists {
        // The file that has the name is whole as well, so no other run gets half a file by this.
        if (try? FileSystem.remove(temporary)) == nil {
          temporary = Self.randomName(in: place.folder)
        }
        try FileSystem.link(file, to: temporary)
      }
    } catch {
      throw Failure(step: .name, errno: error)
    }
    isNamed = true
  }

  private static func sync(_ file: FileDescriptor) throws(Errno) {
    if fsync(file.rawValue) != 0 { throw .last }
  }

  private static func attempt<Result>(
    _ step: Failure.Step, _ body: () throws -> Result
  ) throws(Failure) -> Result {
    do { return try body() } catch { throw Failure(step: step, errno: error as? Errno ?? .ioError) }
  }
}

// MARK: - The beginning

extension FileReplacement {
  /// Begins a new file, with nothing in it yet.
  ///
  /// - Parameters:
  ///   - path: the place that it is to take.
  ///   - version: the file that is there, whose owner, permissions and attributes it gets; `nil` for
  ///     a file that anybody may read and write whom the umask lets.
  static func begin(
    at path: String, like version: FileVersion? = nil
  ) throws(Failure) -> FileReplacement {
    let real = FileSystem.realPath(of: path)
    if real == nil && version != nil {
      // Its real name is not UTF-8.
      throw Failure(step: .place, errno: .illegalByteSequence)
    }
    let place = real ?? path
    let folder = place.folder
    let permissions = FilePermissions(rawValue: version == nil ? 0o666 : 0o600)
    let replacement: FileReplacement
    if let file = nameless(in: folder, permissions) {
      let temporary = "\(folder)/\(passingName(for: place.name))"
      replacement = FileReplacement(
        file: file, place: place, temporary: temporary)
    } else {
      let temporary = randomName(in: folder)
      let file = try attempt(.creation) {
        try FileDescriptor.open(
          FilePath(temporary), .writeOnly,
          options: [.create, .exclusiveCreate, .noFollow, .closeOnExec], permissions: permissions)
      }
      replacement = FileReplacement(
        file: file, place: place, temporary: temporary, isNamed: true)
    }
    if let version { try replacement.keepAccess(of: path, version.status) }
    return replacement
  }

  /// The name that a file without one gets before it takes a place.
  static func passingName(for name: String) -> String {
    ".check-loans-\(name.stableHash.hexadecimal).tmp"
  }

  private static func randomName(in folder: String) -> String {
    "\(folder)/.check-loans-\(String(UInt64.random(in: 0...(.max)), radix: 36)).tmp"
  }

  /// - Returns: `nil` where the file system has no files without a name, or they could not get one.
  /// - SeeAlso: `open(2)`, `proc(5)`.
  private static func nameless(
    in folder: String, _ permissions: FilePermissions
  ) -> FileDescriptor? {
    // O_TMPFILE, which Swift does not see.
    let temporary = FileDescriptor.OpenOptions(rawValue: 0o20_000_000)
    guard
      let file = try? FileDescriptor.open(
        FilePath(folder), .writeOnly, options: [temporary, .directory, .closeOnExec],
        permissions: permissions)
    else { return nil }
    if FileSystem.exists("/proc/self/fd/\(file.rawValue)") { return file }
    try? file.close()
    return nil
  }

  /// Gives the new file the owner, the permissions and the attributes of the old one.
  ///
  /// - SeeAlso: `fchown(2)`, `fchmod(2)`.
  private func keepAccess(of path: String, _ old: Stat) throws(Failure) {
    try Self.attempt(.owner) {
      let new = try file.stat()
      if (new.userID, new.groupID) == (old.userID, old.groupID) { return }
      guard fchown(file.rawValue, old.userID.rawValue, old.groupID.rawValue) == 0 else {
        throw Errno.last
      }
    }
    try setPermissions(old.permissions)
    guard unsafe check_loans_copy_attributes(path, file.rawValue) == 0 else {
      throw Failure(step: .attributes, errno: .last)
    }
  }

  /// Sets who may do what with the new file, whatever the umask.
  ///
  /// - SeeAlso: `fchmod(2)`.
  func setPermissions(_ permissions: FilePermissions) throws(Failure) {
    guard fchmod(file.rawValue, permissions.rawValue) == 0 else {
      throw Failure(step: .permissions, errno: .last)
    }
  }
}

extension String {
  /// The directory of a path.
  fileprivate var folder: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }

  /// The last name in a path.
  fileprivate var name: String { split(separator: "/").last.map(String.init) ?? self }
}
