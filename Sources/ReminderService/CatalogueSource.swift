public import LoanCatalogue
public import LoanRules
public import Loans
public import ReminderSchedule

/// A catalogue to be read, and its names.
public struct CatalogueSource: Hashable, Sendable {
  /// A regular file, or `-` for standard input.
  public var path: String
  /// The name under which its loans are scheduled: it must be the same each time.
  public var name: String
  /// What people call its library, as in `at the Central Library`; `nil` for no name.
  public var library: String?

  /// The catalogue at a path; where its name is `nil`, the path is its name, and should then be
  /// absolute.
  public init(path: String, name: String? = nil, library: String? = nil) {
    self.path = path
    self.name = name ?? path
    self.library = library
  }
}

/// The way in which the loans of a catalogue are judged and scheduled.
public struct ReloadSettings: Sendable {
  /// The rule by which reminders fire.
  public var policy: ReminderPolicy
  /// Whether a record without expiration is an error.
  public var requiresExpiration = false
  /// Whether a catalogue without any record may replace one that had loans.
  public var allowsEmpty = false
  /// The format of the catalogue; `nil` to detect it.
  public var profile: CatalogueProfile?
  /// The number of days of a loan, 1 or more, for formats that record only when it began.
  public var loanDays: Int?
  /// Whether the catalogue's notices are delivered, rather than that somebody only looks at it: then
  /// whoever delivers what is stored leaves them out.
  public var isDelivered = true
  /// The number of threads that read a large catalogue, 1 or more; the result is always the same.
  public var jobs = 1
  /// Called now and then with the progress of the reading, on one of its threads.
  public var onProgress: (@Sendable (ReadingProgress) -> Void)?

  /// Settings with this rule, or a reminder one day ahead: a book without expiration is on the shelf, and
  /// a catalogue without a record replaces nothing.
  public init(policy: ReminderPolicy = ReminderPolicy()) {
    self.policy = policy
  }

  /// A reader that judges catalogues in this way.
  func reader(
    today: CivilDate, _ civilTime: @escaping @Sendable (Int) -> CivilDateTime?
  ) -> CatalogueReader {
    var rules = CatalogueRules(
      requiresExpiration: requiresExpiration, expiration: { ExpirationRule.judge($0) })
    rules.period = { ExpirationRule.judge($1, loaned: $0) }
    rules.loanDate = { ExpirationRule.judge(loaned: $0, today: today) }
    var reader = CatalogueReader(
      profile: profile, rules: rules, loanDays: loanDays, civilTime: civilTime)
    reader.jobs = jobs
    reader.onProgress = onProgress
    return reader
  }
}

/// A loan that was read and judged.
public struct ReadLoan {
  /// The record it was read from.
  public let record: LoanRecord
  /// What follows from its dates.
  package let day: JudgedDay

  /// The last day that the book may be kept.
  public var expiration: CivilDate { day.plan.expiration }
  /// Its state on the day of the reload.
  public var status: DayStatus { day.status }
  /// When its notices fire.
  public var plan: LoanPlan { day.plan }
}

/// The result of a reload.
public struct ReloadReport: Hashable, Sendable {
  /// The numbers of records and problems in the catalogue.
  public var summary: CatalogueSummary
  /// The change to its part of the schedule.
  public var outcome: ReloadOutcome
  /// An expiration, of some loan that has not expired, around which the library is closed for so long
  /// that its closed days were not applied; `nil` if there is none.
  public var closedForLong: CivilDate?
  /// When the catalogue's file was modified last, if that is known.
  public var modifiedAt: ClockTime?

  /// Whether the catalogue was read to its end, has a known format and does not itself say that its
  /// loans are elsewhere: otherwise it says nothing about the loans that there are.
  public var isUsable: Bool { summary.isUsable }
}

extension CatalogueSummary {
  /// Whether the catalogue says which loans there are.
  package var isUsable: Bool { isComplete && isKnownForm && !(answer.isPart && records == 0) }

  /// Whether some book is lent.
  ///
  /// Otherwise all of them may be back, or the date may be written in another way since yesterday.
  var hasExpirations: Bool { onShelf < records || records == 0 }

  /// Whether it is a whole catalogue in which no book is lent: of the tool's own form, or with a list of
  /// loans that is empty.
  var isWithoutLoans: Bool {
    let isCertain =
      profile == CatalogueProfile.native.name || answer.isListEmpty && records == onShelf
    return isUsable && isCertain && loans == 0 && leftOut == 0 && withoutExpiration == 0
  }

  /// Whether nothing in it speaks against the loans being back, if it has none.
  public var mayBeEmpty: Bool { !answer.hasOtherDate && !isUndated }

  /// Whether there are loans, and none has anything where an expiration is looked for.
  public var isUndated: Bool { records > 0 && undated == records }
}
