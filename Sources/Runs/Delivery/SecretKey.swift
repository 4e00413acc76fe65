package import CommandOutput
import Loans
import System
import SystemPackage

/// A secret in a file beside the schedule, from which names and tokens are made that nobody can guess.
package struct SecretKey {
  /// What is made with it.
  package enum Use: String, CaseIterable {
    /// The names of borrowers' calendars.
    case calendar
    /// The tokens of the links with which readers stop mail.
    case mail
  }

  let path: FilePath
  private let use: Use

  private static let length = 32

  /// - Parameter schedule: the schedule's path.
  package init(_ use: Use, besideSchedule schedule: String) {
    path = FilePath(schedule).removingLastComponent().appending("\(use.rawValue).key")
    self.use = use
  }

  /// The secret, which is made if there is none.
  ///
  /// - Throws: ``CommandError`` if somebody else may know it, or it can neither be read nor made.
  package func secret() throws(CommandError) -> [UInt8] {
    if let secret = try existing() { return secret }
    return try make()
  }

  /// The secret; `nil` if there is none yet.
  ///
  /// - Throws: ``CommandError`` if somebody else may know it, or it cannot be read.
  func existing() throws(CommandError) -> [UInt8]? {
    let directory = path.removingLastComponent()
    let place = directory.isEmpty ? "." : directory.string
    if (try? Stat(of: place))?.permissions.contains(.otherWrite) == true {
      throw CommandError(
        .noPermission,
        """
        \(failure): everyone can write to the directory; use chmod o-w, or keep the schedule in another directory
        """)
    }
    let secret: [UInt8]
    do throws(Errno) { secret = try read(OpenFile(path.string)) } catch {
      if error == .noSuchFileOrDirectory { return nil }
      throw CommandError(
        error.isPermission ? .noPermission : .inputOutput,
        "\(failure): \(error.words); it must be yours, with mode 0600")
    }
    if secret.count == Self.length { return secret }
    throw CommandError(
      .inputOutput,
      """
      \(failure): it does not have \(Self.length) bytes; restore it from a backup, or remove it: then \
      \(use == .calendar ? "every borrower's calendar gets another name" : "links in old mail are void")
      """)
  }

  private var failure: String {
    """
    \(path.string.quoted(limit: 200)): cannot use the secret of \
    \(use == .calendar ? "borrowers' calendars" : "mail-unsubscribe")
    """
  }

  private func read(_ file: OpenFile) throws(Errno) -> [UInt8] {
    let status = try file.status
    let others: FilePermissions = [.groupReadWriteExecute, .otherReadWriteExecute]
    guard status.type == .regular, status.userID == .current,
      status.permissions.isDisjoint(with: others)
    else { throw .notPermitted }
    return try file.read(Self.length + 1)
  }

  /// Makes the file, which has its name only when it is whole; of two runs at the same time the second
  /// takes the file of the first.
  private func make() throws(CommandError) -> [UInt8] {
    if let (path, error) = FileSystem.makeDirectories(path.removingLastComponent()) {
      throw Self.cannotCreate(path, error)
    }
    let secret = (0..<Self.length).map { _ in UInt8.random(in: 0...255) }
    let temporary = "\(path.string).\(UInt64.random(in: 0...(.max)))"
    defer { try? FileSystem.remove(temporary) }
    do throws(Errno) {
      let file = try OpenFile(
        temporary, .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
      try file.write(secret, at: 0)
      try file.sync()
      try FileSystem.link(file.descriptor, to: path.string)
    } catch .fileExists {
      return try self.secret()
    } catch {
      throw Self.cannotCreate(path.string, error)
    }
    return secret
  }

  private static func cannotCreate(_ path: String, _ error: Errno) -> CommandError {
    CommandError(.cannotCreate, "cannot create \(path.quoted(limit: 200)): \(error.words)")
  }
}
