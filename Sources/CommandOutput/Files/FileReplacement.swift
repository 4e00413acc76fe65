import CLinux
import Glibc
package import System
package import SystemPackage

/// A new file that takes the place of another one, or of none, once it is whole; otherwise nothing is
/// left of it.
///
/// It has no name until then, where the file system can do that, so that a run that is killed leaves
/// nothing either. On other file systems, network disks for example, a run that is killed while it writes
/// leaves a `.check-loans-….tmp`. Symbolic links stay, and lead to the new file.
package struct FileReplacement: ~Copyable {
  /// The step that failed; the place is as it was.
  package struct Failure: Error {
    package enum Step: String {
      case link = "it is another user's link, in a directory that everyone can write to"
      case creation = "a new file cannot be made beside it"
      case owner = "its owner or group cannot be kept"
      case permissions = "the permissions cannot be kept"
      case attributes = "its access control list or other attributes cannot be kept"
      case writing = "the new file cannot be written"
      case name = "the new file cannot be given a name"
      case place = "it cannot be replaced"
    }

    package let step: Step
    package let errno: Errno

    /// The sentence about the step, with the system's words for why.
    package var words: String { "\(step.rawValue): \(errno.words)" }
  }

  /// The new file, open for writing.
  package let file: OpenFile
  private let place: String
  private let temporary: String
  /// Whether the new file has the name ``temporary``.
  private var isNamed = false

  deinit {
    if isNamed { try? FileSystem.remove(temporary) }
  }

  /// Appends to the new file.
  package func write(_ bytes: [UInt8]) throws(Failure) {
    try attempt(.writing) { _ = try file.descriptor.writeAll(bytes) }
  }

  /// Has the new file's content kept for good; its place is still that of the old one.
  package func sync() throws(Failure) {
    try attempt(.writing) { try Errno.check(fsync(file.descriptor.rawValue)) }
  }

  /// Sets who may do what with the new file, whatever the umask.
  ///
  /// - SeeAlso: `fchmod(2)`.
  package func setPermissions(_ permissions: FilePermissions) throws(Failure) {
    try attempt(.permissions) {
      try Errno.check(fchmod(file.descriptor.rawValue, permissions.rawValue))
    }
  }

  /// Puts the new file in its place, and returns when it is there for good.
  package consuming func commit() throws(Failure) {
    try sync()
    if !isNamed {
      try attempt(.name) { try FileSystem.link(file.descriptor, to: temporary) }
      isNamed = true
    }
    try attempt(.place) { try FileSystem.rename(temporary, to: place) }
    isNamed = false
    // The new file is in its place already; a directory that cannot do this has done what it can.
    let folder = Self.folder(of: place)
    if let directory = try? OpenFile(folder, options: .directory, followsLinks: true) {
      fsync(directory.descriptor.rawValue)
    }
  }
}

/// Throws the failure of a step where the system says no.
private func attempt<Result>(
  _ step: FileReplacement.Failure.Step, _ body: () throws -> Result
) throws(FileReplacement.Failure) -> Result {
  do { return try body() } catch {
    throw FileReplacement.Failure(step: step, errno: error as? Errno ?? .ioError)
  }
}

// MARK: - The beginning

extension FileReplacement {
  /// Begins a new file, with nothing in it yet.
  ///
  /// - Parameters:
  ///   - path: the place that it is to take.
  ///   - old: the file that is there, whose owner, permissions and attributes it gets; `nil` for
  ///     a file that anybody may read and write whom the umask lets.
  package static func begin(
    at path: String, like old: Stat? = nil
  ) throws(Failure) -> FileReplacement {
    try checkLinks(path)
    if old == nil, (try? Stat(ofLink: path))?.type == .symbolicLink {
      throw Failure(step: .place, errno: .noSuchFileOrDirectory)
    }
    guard let place = FileSystem.realPath(of: path) ?? (old == nil ? path : nil) else {
      // Its real name is not UTF-8.
      throw Failure(step: .place, errno: .illegalByteSequence)
    }
    let folder = folder(of: place)
    let permissions = FilePermissions(rawValue: old == nil ? 0o666 : 0o600)
    let temporary =
      "\(folder)/.check-loans-\(String(UInt64.random(in: 0...(.max)), radix: 36)).tmp"
    let replacement: FileReplacement
    if let file = nameless(in: folder, permissions) {
      replacement = FileReplacement(file: file, place: place, temporary: temporary)
    } else {
      let file = try attempt(.creation) {
        try OpenFile(
          temporary, .writeOnly, options: [.create, .exclusiveCreate], permissions: permissions)
      }
      replacement = FileReplacement(
        file: file, place: place, temporary: temporary, isNamed: true)
    }
    if let old { try replacement.keepAccess(of: path, old) }
    return replacement
  }

  /// Refuses a link that leads to where another user wants it, by the rule of the kernel's
  /// `protected_symlinks`: it is in a directory that everyone can write to, and neither this user's nor that
  /// of the directory's owner.
  ///
  /// - SeeAlso: `proc_sys_fs(5)`.
  static func checkLinks(_ path: String) throws(Failure) {
    var path = FilePath(path)
    // Links that lead to each other in a circle lead to no file.
    for _ in 0..<40 {
      guard let target = FileSystem.linkTarget(of: path), let link = try? Stat(ofLink: path.string)
      else { return }
      let folder = path.removingLastComponent()
      let directory = try? Stat(of: folder.isEmpty ? "." : folder.string)
      if let directory, directory.permissions.contains(.otherWrite),
        ![.current, directory.userID].contains(link.userID)
      {
        throw Failure(step: .link, errno: .permissionDenied)
      }
      path = folder.pushing(target)
    }
  }

  private static func folder(of place: String) -> String {
    let folder = FilePath(place).removingLastComponent()
    return folder.isEmpty ? "." : folder.string
  }

  /// - Returns: `nil` where the file system has no files without a name, or they could not get one.
  /// - SeeAlso: `open(2)`, `proc(5)`.
  private static func nameless(in folder: String, _ permissions: FilePermissions) -> OpenFile? {
    // O_TMPFILE, which Swift does not see.
    let temporary = FileDescriptor.OpenOptions(rawValue: 0o20_000_000)
    let file = try? OpenFile(
      folder, .writeOnly, options: [temporary, .directory], followsLinks: true,
      permissions: permissions)
    guard let file, FileSystem.exists(file.pathOfDescriptor) else {
      return nil
    }
    return file
  }

  /// Gives the new file the owner, the permissions and the attributes of the old one.
  ///
  /// - SeeAlso: `fchown(2)`.
  private func keepAccess(of path: String, _ old: Stat) throws(Failure) {
    try attempt(.owner) {
      let new = try file.status
      if (new.userID, new.groupID) == (old.userID, old.groupID) { return }
      try Errno.check(
        fchown(file.descriptor.rawValue, old.userID.rawValue, old.groupID.rawValue))
    }
    try setPermissions(old.permissions)
    try attempt(.attributes) {
      try Errno.check(unsafe check_loans_copy_attributes(path, file.descriptor.rawValue))
    }
  }
}
