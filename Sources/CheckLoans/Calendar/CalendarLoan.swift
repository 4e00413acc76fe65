import CommandOutput
import Glibc
import LoanCatalogue
import LoanRules
import Loans
import ReminderSchedule
import ReminderService
import Runs
import System
import SystemPackage

/// A loan as a calendar shows it.
struct CalendarLoan {
  /// The loan with its library and its open days.
  let notice: Notice
  /// The same in every version of its catalogue.
  let identity: String
  /// The last open day on which it can be returned in time, or else the next open day.
  let day: CivilDate
  /// The current day in its library.
  let today: CivilDate
  /// When its catalogue was last changed, in UTC.
  let modified: CivilDateTime

  /// Whoever reads it: a valid e-mail address, or else a name; `nil` if there is neither.
  var reader: [UInt8]? {
    (EmailAddress.key(of: notice.loan.email) ?? notice.loan.borrower).map { Array($0.utf8) }
  }
}

extension [CalendarLoan] {
  /// The loans of a borrower, by name or e-mail address in upper or lower case.
  ///
  /// - Parameter mayBeNone: whether there may be none.
  /// - Throws: ``CommandError`` with the status `invalidData` if there are none, or if two borrowers have
  ///   the name: nobody is to read of another's loans.
  func of(_ name: String, mayBeNone: Bool) throws(CommandError) -> [CalendarLoan] {
    let wanted = name.lowercased()
    let found = filter {
      $0.notice.loan.borrower.fits(anyCase: name)
        || $0.notice.loan.email?.lowercased() == wanted
    }
    if Set(found.map(\.reader)).count > 1 {
      throw CommandError(
        .invalidData,
        "\(name.quoted()) is in the names of several borrowers; give the e-mail address of one")
    }
    if found.isEmpty && !mayBeNone {
      let near =
        name.nearest(among: lazy.compactMap(\.notice.loan.borrower))
        .map { "did you mean \($0.quoted())? else" } ?? "if all books are back,"
      throw CommandError(
        .invalidData,
        "nothing is lent to \(name.quoted()); \(near) use --allow-empty for an empty calendar")
    }
    return found
  }
}

extension String {
  /// A UUID that any other text is most unlikely to have (RFC 9562, version 8).
  var stableIdentity: String { SHA256.hexadecimal(utf8).asUUID }

  /// Digits of a digest in the form of a UUID.
  var asUUID: String {
    let digits = Array(self)
    let parts = [digits[0..<8], digits[8..<12], "8" + digits[13..<16], "8" + digits[17..<20]]
    return (parts + [digits[20..<32]]).map { String($0) }.joined(separator: "-")
  }
}

// MARK: - Reading

extension CatalogueToRead {
  /// Reads the catalogue, and changes nothing.
  ///
  /// - Returns: its loans, or `nil` if it cannot be used.
  func calendarLoans(
    hidingTitles detail: TitleDetail, _ reading: inout CatalogueReadings
  ) throws -> [CalendarLoan]? {
    var (loans, closed) = ([CalendarLoan](), ClosedDays())
    let modified = self.modified
    let findings = try reading.read(
      self, onBegin: { closed = $0 },
      onLoan: { read in
        if read.status.isWithheld { return }
        let loan = (read.record.loan ?? Loan(expiration: read.expiration)).shortened
        let notice = Notice(
          rung: 0, loan: loan, catalogue: source.name, library: source.library?.shortened(to: 100),
          openDays: read.plan.openDays)
        let (hash, ordinal) = (read.record.identity.hash, read.record.identity.ordinal)
        loans.append(
          CalendarLoan(
            notice: notice.hidingTitles(detail),
            identity: "loan\n\(source.name)\n\(hash)\n\(ordinal)".stableIdentity,
            day: notice.day(today: now.date, closed), today: now.date, modified: modified))
      })
    if !findings.isUsable { return nil }
    if !loans.isEmpty || settings.allowsEmpty { return loans }
    reading.say(
      """
      \(path.visible): no loan with an expiration; if all books are back, run again with --allow-empty
      """)
    return nil
  }

  /// When the catalogue was last changed, in UTC; a pipe is changed right now.
  private var modified: CivilDateTime {
    let status = path == "-" ? nil : try? Stat(of: path)
    let file = status?.regularSize == nil ? nil : status
    return file.flatMap { CivilDateTime(ordinal: Int($0.st_mtim.tv_sec)) } ?? clock.utc(now)
  }
}

extension LocalClock {
  /// A time that the clock shows, in UTC.
  func utc(_ now: CivilDateTime) -> CivilDateTime {
    let offset = now.utcOffset(civilTime) ?? 0
    return CivilDateTime(ordinal: now.ordinal - offset) ?? now
  }
}

extension Loan {
  /// The loan with texts that fit into a calendar.
  fileprivate var shortened: Loan {
    var loan = self
    loan.title = title?.shortened(to: 200)
    loan.author = author?.shortened(to: 100)
    loan.borrower = borrower?.shortened(to: 100)
    loan.library = library?.shortened(to: 100)
    return loan
  }
}

extension Notice {
  /// The day on which to do something about the loan.
  fileprivate func day(today: CivilDate, _ closed: ClosedDays) -> CivilDate {
    let last = openDays?.before ?? loan.expiration
    if today <= last { return last }
    if case .closed(let days) = closed.openDays(around: today) { return days.after }
    return today
  }
}
