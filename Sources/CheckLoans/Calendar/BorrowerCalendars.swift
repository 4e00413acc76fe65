import Calendar
import CommandOutput
import Glibc
import Loans
import Runs
import System
import SystemPackage

/// A directory with a calendar for each borrower, for a web server.
///
/// The name of a file is made from the borrower's with a secret, so that whoever knows the address of one
/// cannot find another. So is the identity within it, which shows whether a file is one of these: no other
/// file is ever changed. A borrower without loans gets an empty calendar, since programs give up a feed that
/// fails; it is removed after 30 days.
struct BorrowerCalendars {
  private let directory: String
  private let key: [UInt8]
  private let writer: LoanCalendarWriter
  private let permissions: FilePermissions

  /// How many days an empty calendar is kept.
  private static let daysKept = 30

  /// - Parameter schedule: the path of the schedule, beside which the secret is kept.
  /// - Throws: ``CommandError`` if the directory is not there or anybody could change it, or if there is
  ///   no secret.
  init(
    _ directory: String, besideSchedule schedule: String, _ writer: LoanCalendarWriter
  ) throws(CommandError) {
    guard let status = try? Stat(of: directory), status.type == .directory else {
      throw CommandError(
        .cannotCreate,
        "\(directory.quoted(limit: 200)) is not a directory; create it for the borrowers' calendars"
      )
    }
    if status.permissions.contains(.otherWrite) {
      throw CommandError(
        .noPermission,
        """
        \(directory.quoted(limit: 200)) is writable by everyone; use a directory of its own for \
        the borrowers' calendars
        """)
    }
    if !FileSystem.mayWrite(directory) {
      throw CommandError(
        .noPermission,
        """
        \(directory.quoted(limit: 200)): permission denied; the user who runs this must be able \
        to write there
        """)
    }
    (self.directory, self.writer) = (directory, writer)
    // Whoever may list the directory may read what is in it: the web server's group, for example.
    permissions = status.permissions.intersection([.groupRead, .otherRead]).union(.ownerReadWrite)
    key = try SecretKey(.calendar, besideSchedule: schedule).secret()
  }

  /// Brings the files in line with the loans.
  ///
  /// - Parameter lists: whether to print which borrower has which file.
  /// - Returns: the status; one file that cannot be written does not keep the others from it.
  /// - Throws: ``CommandError`` if standard output fails.
  func update(
    with loans: [CalendarLoan], lists: Bool, _ console: Console
  ) throws(CommandError) -> ExitStatus {
    var status = ExitStatus.done
    var current: Set<String> = []
    let readers = Dictionary(grouping: loans, by: \.reader)
    for (reader, loans) in readers.sorted(by: {
      ($0.key ?? []).lexicographicallyPrecedes($1.key ?? [])
    }) {
      guard let reader else {
        if lists {
          console.printError(
            "\(counted(loans.count, "loan")) without a borrower's name or address: in no calendar")
        }
        continue
      }
      let path = "\(directory)/\(SHA256.hexadecimal(reader, key: key).prefix(32)).ics"
      current.insert(path)
      let calendar = writer.calendar(of: loans, identity: identity(of: path), isPersonal: true)
      do throws(CommandError) { try replace(path, with: calendar) } catch {
        console.printError(error.message ?? "")
        status = status.worse(error.status)
        continue
      }
      if lists {
        let names = Set(loans.compactMap(\.notice.loan.borrower)).sorted().joined(separator: ", ")
        let address = loans.lazy.compactMap(\.notice.loan.email)
          .first { EmailAddress.key(of: $0) != nil }
        try console.print(line: "\(names.visible)\t\((address ?? "").visible)\t\(path.visible)")
      }
    }
    let files = FilePattern.files(fitting: FilePattern.literal(directory) + "/*.ics")
    for path in files where !current.contains(path) && isOurs(path) {
      status = status.worse(retire(path, console))
    }
    return status
  }

  /// Empties the calendar of a borrower who has no loan, or removes it.
  private func retire(_ path: String, _ console: Console) -> ExitStatus {
    let empty = writer.calendar(of: [], identity: identity(of: path), isPersonal: false)
    do {
      try CalendarFile(path).replace(with: empty.bytes, permissions: permissions)
      // An empty one is replaced once, and never again.
      let since = CivilDateTime(ordinal: Int(try Stat(of: path).st_mtim.tv_sec))?.date
      if let since, since.days(until: writer.now.date) > Self.daysKept {
        try FileSystem.remove(path)
      }
      return .done
    } catch {
      let error =
        (error as? Errno).map {
          CommandError(.inputOutput, "cannot remove \(path.quoted(limit: 200)): \($0.words)")
        } ?? CommandError(error)
      console.printError(error.message ?? "")
      return error.status
    }
  }

  private func replace(_ path: String, with calendar: WrittenCalendar) throws(CommandError) {
    if FileSystem.exists(path) && !isOurs(path) {
      throw CommandError(
        .cannotCreate,
        "\(path.quoted(limit: 200)) is not a calendar that check-loans has written; move it away")
    }
    try CalendarFile(path).replace(with: calendar.bytes, permissions: permissions)
  }

  /// What only the file of this name has, and nobody can make without the secret.
  private func identity(of path: String) -> String {
    let name = FilePath(path).lastComponent?.string ?? ""
    return SHA256.hexadecimal("calendar\n\(name)".utf8, key: key).asUUID
  }

  private func isOurs(_ path: String) -> Bool {
    guard (try? Stat(ofLink: path))?.type == .regular, let bytes = CalendarFile(path).bytes else {
      return false
    }
    return bytes.starts(with: WrittenCalendar.beginning(identity: identity(of: path)))
  }
}
