internal import Loans
internal import System
internal import SystemPackage

/// The file of a schedule at a path: checking and making it.
///
/// Paths are checked, then opened by SQLite. Nobody can put another file there in between, since only
/// the owner can write to the directory.
struct ScheduleFile {
  /// The path as it was given.
  let path: String

  /// The path in a form that is never anything but a file to SQLite, to which `:memory:`, `file:…` and
  /// the empty path have special meanings.
  var location: String { path.utf8.first == Self.slash ? path : "./" + path }

  /// The path of the lock.
  var lockPath: String { location + ".lock" }

  /// The directory that holds the file.
  var directory: String {
    let end = location.utf8.lastIndex(of: Self.slash) ?? location.startIndex
    return end == location.startIndex ? "/" : String(location[..<end])
  }

  /// A slash to the system, also with a combining mark, with which it is none to a String.
  private static let slash = UInt8(ascii: "/")

  /// Whether nothing is there.
  private var isMissing: Bool { !FileSystem.exists(location) }

  /// Makes the directory and its parents, with mode 0700, if they are missing, and refuses one in
  /// which somebody else could replace the file.
  func prepareDirectory() throws(ScheduleError) {
    if let (path, error) = FileSystem.makeDirectories(FilePath(directory)) {
      throw cannotCreate(path, error)
    }
    try checkDirectory()
  }

  /// Makes the file, empty and with mode 0600, if it is missing, and refuses one that is not this
  /// user's alone.
  func prepareFile() throws(ScheduleError) {
    try checkCompanions()
    do {
      _ = try OpenFile(
        location, .readWrite, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
    } catch {
      guard error == .fileExists else { throw cannotCreate(location, error) }
      try checkFile()
      try tighten()
    }
  }

  /// Refuses what is not a schedule of this user, as far as that can be seen without the lock.
  ///
  /// - Returns: whether there is a file.
  func check() throws(ScheduleError) -> Bool {
    try checkCompanions()
    if isMissing { return false }
    try checkFile()
    if let refusal = try readHeader().refusal(path: path) { throw refusal }
    return true
  }

  /// Takes all permissions from others, which a copy of the file may have given them.
  private func tighten() throws(ScheduleError) {
    do {
      let others: FilePermissions = [.groupReadWriteExecute, .otherReadWriteExecute]
      if try Stat(ofLink: location).permissions.isDisjoint(with: others) { return }
      // By its name, because closing a descriptor would let go of the locks of SQLite's own.
      try FileSystem.setPermissions(.ownerReadWrite, of: location)
    } catch {
      throw notPermitted("cannot be made private", error)
    }
  }

  /// The beginning of the file, which must be readable.
  func readHeader() throws(ScheduleError) -> FileHeader {
    do {
      return FileHeader(bytes: try OpenFile(location).read(4_096))
    } catch {
      if error == .noSuchFileOrDirectory { throw removed }
      if error.isPermission { throw notPermitted("cannot be read", error) }
      throw ScheduleError(
        .inputOutput, path: path, "cannot read the schedule \"\(path.visible)\"", error)
    }
  }

  /// The identity of the file with this name; `nil` if there is none.
  var id: FileID? { (try? Stat(ofLink: location))?.fileID }

  /// The file's length in bytes; 0 if there is none.
  var size: Int64 { (try? Stat(ofLink: location).size) ?? 0 }

  /// Whether it takes less than 10 milliseconds to look for damage everywhere, which is done each time it is
  /// opened for writing; in a longer file, after a run was interrupted.
  var isSmall: Bool { size <= 4 << 20 }

  /// Whether a run that was interrupted left a journal.
  var hasJournal: Bool {
    ((try? Stat(ofLink: location + "-journal").size) ?? 0) > 0
  }

  /// The endings of the files that SQLite makes beside a database.
  private static let companions = ["-journal", "-wal"]

  /// Refuses another user's journal, since SQLite would roll it into the schedule; and without a
  /// schedule anything that is not a journal, since SQLite would delete it.
  private func checkCompanions() throws(ScheduleError) {
    for companion in Self.companions {
      guard let status = try? Stat(ofLink: location + companion) else { continue }
      guard status.type == .regular, status.userID == .current,
        !isMissing || isJournal(location + companion)
      else {
        throw notPermitted("has a file \"\(companion)\" beside it that is not its own")
      }
    }
  }

  /// Whether a file begins like SQLite's journals, or has no content yet.
  ///
  /// - SeeAlso: <https://www.sqlite.org/fileformat.html>, sections 3 and 4.1.
  private func isJournal(_ path: String) -> Bool {
    guard let bytes = try? OpenFile(path).read(8) else { return false }
    return bytes.allSatisfy { $0 == 0 } || bytes.starts(with: [0xD9, 0xD5, 0x05, 0xF9])
      || bytes.starts(with: [0x37, 0x7F, 0x06])
  }

  /// Refuses anything but a regular file of this user with one name.
  private func checkFile() throws(ScheduleError) {
    let status: Stat
    do {
      status = try Stat(ofLink: location)
    } catch {
      throw notPermitted("cannot be examined", error)
    }
    if status.type == .symbolicLink { throw notPermitted("is a symbolic link") }
    guard status.type == .regular else { throw notPermitted("is not a regular file") }
    guard status.userID == .current else {
      throw foreign("the schedule \"\(path.visible)\"", of: status.userID, path: path)
    }
    // SQLite finds the journal of an interrupted run by the file's name, so one name only.
    guard status.linkCount == 1 else { throw notPermitted("has more than one hard link") }
  }

  private func checkDirectory() throws(ScheduleError) {
    let status: Stat
    do {
      status = try Stat(of: directory)
    } catch {
      throw cannotCreate(directory, error)
    }
    guard status.type == .directory else {
      throw ScheduleError(
        .cannotCreate, path: directory, "\"\(directory.visible)\" is not a directory")
    }
    let isOwn = [.current, .root].contains(status.userID)
    // Not even a sticky one, where others can make files with the names that ours will have.
    guard isOwn else {
      throw foreign(
        "the directory \"\(directory.visible)\"", of: status.userID, path: directory)
    }
    if status.permissions.isDisjoint(with: [.groupWrite, .otherWrite]) { return }
    throw ScheduleError(
      .notPermitted, path: directory,
      "the directory \"\(directory.visible)\" can be written by others; use one that only you can "
        + "write, or name another file with --state")
  }

  /// The error of what is another user's, whose runs may have sent everything already.
  private func foreign(_ what: String, of owner: UserID, path: String) -> ScheduleError {
    let name = owner.name?.visible
    let others =
      isMissing
      ? ", or name a file in a directory of your own with --state"
      : "; another file named with --state is another schedule, and sends everything again"
    return ScheduleError(
      .notPermitted, path: path,
      "\(what) belongs to the user \(name ?? "\(owner.rawValue)"); run sudo -u "
        + "\(name ?? "'#\(owner.rawValue)'") check-loans …\(others)")
  }

  /// The error of a file that was removed or replaced.
  var removed: ScheduleError {
    ScheduleError(
      .inputOutput, path: path,
      "the schedule \"\(path.visible)\" was removed or replaced while in use; run again")
  }

  private func cannotCreate(_ path: String, _ error: Errno) -> ScheduleError {
    ScheduleError(
      .cannotCreate, path: path,
      "cannot create \"\(path.visible)\"; name another file with --state", error)
  }

  private func notPermitted(
    _ what: String, _ error: Errno? = nil
  ) -> ScheduleError {
    ScheduleError(
      .notPermitted, path: path,
      "the schedule \"\(path.visible)\" \(what); name another file with --state",
      error)
  }
}

/// The first bytes of a file that should be a schedule.
///
/// - SeeAlso: <https://www.sqlite.org/fileformat.html>, section 1.3.
struct FileHeader {
  private static let ownID = UInt32(bitPattern: Schema.applicationID)

  /// At most the first 4,096 bytes.
  let bytes: [UInt8]

  /// Whether it is the beginning of an SQLite database.
  var isDatabase: Bool { bytes.starts(with: "SQLite format 3\0".utf8) }

  /// Whether it is a schedule of ours.
  var isSchedule: Bool { isDatabase && bytes.count >= 100 && number(at: 68) == Self.ownID }

  /// Whether it is a database with a header that SQLite never writes.
  var isDamaged: Bool {
    // The versions of the file format for writing and for reading: 1, or 2 for a WAL.
    isDatabase && bytes.count > 19 && (!(1...2).contains(bytes[18]) || bytes[18] != bytes[19])
  }

  /// The error of a file that is not a schedule, nor a database in which nothing is yet.
  func refusal(path: String) -> ScheduleError? {
    let isNew = isDatabase && bytes.count >= 100 && [28, 60, 68].allSatisfy { number(at: $0) <= 1 }
    if bytes.isEmpty || isSchedule || isNew { return nil }
    return .notASchedule(path, isDatabase ? "belongs to another program" : "is not a database")
  }

  /// The number in four bytes, the high one first.
  private func number(at offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
