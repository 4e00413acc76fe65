import Calendar
import CommandOutput
import Languages
import Loans
import Reports
import Runs
import Settings

/// Puts loans into calendars, in words.
struct LoanCalendarWriter {
  private let kind: WrittenCalendar.Kind
  private let alarm: Int?
  private let isPerVisit: Bool
  /// How much of titles and authors is shown.
  let titles: TitleDetail
  private let language: Language
  private let borrowers: BorrowerLanguages?
  /// The current time, in UTC.
  let now: CivilDateTime

  /// The most books that are listed for a visit.
  private static let mostBooks = 50

  /// - Throws: ``CommandError`` for a language or a time zone that is not known.
  init(_ command: CalendarCommand, _ environment: Environment) throws(CommandError) {
    let (now, clock) = try command.clock.read(environment)
    self.now = clock.utc(now)
    kind = command.todo ? .task : .event
    alarm = command.alarm.hours
    isPerVisit = command.perVisit
    titles = command.titles.last { $0.channel == nil }?.detail ?? .full
    let known = try command.language.own.known(environment)
    language = try command.language.language(environment, among: known)
    let isFixed = environment.given["language"]?.isFromCommandLine == true
    borrowers = isFixed ? nil : BorrowerLanguages(known, otherwise: language, environment)
  }

  /// A calendar of some loans.
  ///
  /// - Parameters:
  ///   - identity: what shows whose file it is; `nil` for nothing.
  ///   - isPersonal: whether it is for one borrower, in the borrower's language and with the borrower's name.
  func calendar(
    of loans: [CalendarLoan], identity: String? = nil, isPersonal: Bool
  ) -> WrittenCalendar {
    let first = isPersonal ? loans.first?.notice : nil
    let language = first.flatMap { borrowers?.language(of: $0) } ?? self.language
    let isOne = Set(loans.map(\.notice.loan.borrower)).count == 1
    let owner = isOne ? first?.loan.borrower : nil
    var calendar = WrittenCalendar(
      owner.map { language.text(.calendarNameOf, ["borrower": $0]) }
        ?? language.text(.calendarName),
      identity: identity, modified: loans.map(\.modified).max() ?? now,
      program: "check-loans \(ProgramVersion.number)", kind: kind)
    let entries = Dictionary(grouping: loans) { isPerVisit ? $0.visit : $0.identity }
    for (identity, loans) in entries.sorted(by: {
      ($0.value[0].day, $0.key) < ($1.value[0].day, $1.key)
    }) {
      add(loans, identity, to: &calendar, in: language)
    }
    return calendar
  }

  /// Adds an entry about one loan, or about those of a visit.
  private func add(
    _ loans: [CalendarLoan], _ identity: String, to calendar: inout WrittenCalendar,
    in language: Language
  ) {
    let loans = loans.sorted {
      ($0.notice.loan.expiration, $0.identity) < ($1.notice.loan.expiration, $1.identity)
    }
    var lines = loans.prefix(Self.mostBooks).map { loan in
      loan.notice.line(for: .calendar, today: loan.today, in: language)
    }
    let rest = loans.count - lines.count
    if rest > 0 { lines.append(language.text(.more, count: rest)) }
    let isInTime = loans.contains { $0.today <= $0.notice.loan.expiration }
    calendar.add(
      on: loans[0].day, identity: identity, modified: loans.map(\.modified).max() ?? now,
      summary: loans.count == 1
        ? sentence(about: loans[0], in: language) : language.text(.returnBooks, count: loans.count),
      description: lines.joined(separator: "\n"), location: loans[0].notice.library,
      // The alarm for what is late is long past.
      alarm: isInTime ? alarm : nil)
  }

  /// What to do about a loan, or how late it is: how much time is left depends on the day on which the
  /// calendar is looked at.
  private func sentence(about loan: CalendarLoan, in language: Language) -> String {
    let book = loan.notice.loan
    let label = book.label(for: .calendar, in: language)
    if loan.today > book.expiration {
      return book.sentence(label, for: .calendar, today: loan.today, in: language)
    }
    if titles != .full && book.title == nil { return language.text(.returnBooks, count: 1) }
    return language.text(.returnTitle, ["title": label])
  }
}

extension CalendarLoan {
  /// The identity of all books that can be returned at once.
  fileprivate var visit: String {
    let reader = reader.map { String(decoding: $0, as: UTF8.self) }
    return "visit\n\(reader ?? "")\n\(notice.library ?? "")\n\(day)".stableIdentity
  }
}
