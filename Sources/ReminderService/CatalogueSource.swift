public import LoanCatalogue
public import LoanRules
public import Loans
public import ReminderSchedule

/// A catalogue to be read, and what the schedule calls it.
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

/// How the loans of a catalogue are judged and scheduled.
public struct ReloadSettings: Sendable {
  /// When reminders fire.
  public var policy: ReminderPolicy
  /// Whether a record without expiration is an error.
  public var requiresExpiration: Bool
  /// Whether a catalogue without any record may replace one that had loans.
  public var allowsEmpty: Bool
  /// The form of the catalogue; `nil` to find it out.
  public var profile: CatalogueProfile?
  /// After how many days a loan expires, 1 or more, where a form only tells when it began.
  public var loanDays: Int?
  /// On how many threads a large catalogue is read, 1 or more; what comes of it is the same.
  public var jobs: Int
  /// Is told now and then how far the reading has come, on one of its threads.
  public var onProgress: (@Sendable (ReadingProgress) -> Void)?

  /// One day ahead; a book without expiration is on the shelf; nothing replaces something only if
  /// that is allowed.
  public static let standard = ReloadSettings()

  /// Settings with these parts.
  public init(
    policy: ReminderPolicy = .standard, requiresExpiration: Bool = false,
    allowsEmpty: Bool = false, profile: CatalogueProfile? = nil, loanDays: Int? = nil,
    jobs: Int = 1
  ) {
    self.policy = policy
    self.requiresExpiration = requiresExpiration
    self.allowsEmpty = allowsEmpty
    self.profile = profile
    self.loanDays = loanDays
    self.jobs = jobs
  }
}

/// A loan as it was read and judged.
public struct ReadLoan {
  /// The record it was read from.
  public let record: LoanRecord
  /// The last day that the book may be kept.
  public let expiration: CivilDate
  /// How it stands.
  public let status: LoanStatus
  /// When its reminder fires.
  public let fireAt: CivilDateTime
  /// Its texts; they become strings when this is asked for the first time.
  public lazy var loan = record.loan ?? Loan(expiration: expiration)

  init(
    record: LoanRecord, expiration: CivilDate, status: LoanStatus, fireAt: CivilDateTime
  ) {
    self.record = record
    self.expiration = expiration
    self.status = status
    self.fireAt = fireAt
  }
}

/// What a reload found and did.
public struct ReloadReport: Hashable, Sendable {
  /// What the catalogue held.
  public var summary: CatalogueSummary
  /// What became of its part of the schedule.
  public var outcome: ReloadOutcome

  /// Whether the catalogue was read to its end, is of a known form and does not itself say that its
  /// loans are elsewhere: else it tells nothing about the loans that there are.
  public var isUsable: Bool { summary.isUsable }
}

extension CatalogueSummary {
  var isUsable: Bool { isComplete && isKnownForm && !(isPart && records == 0) }

  /// Whether some book is lent.
  ///
  /// Else all of them may be back, or what says so may be written in another way since yesterday.
  var hasExpirations: Bool { onShelf < records || records == 0 }

  /// Whether there are loans, and none has anything where an expiration is looked for.
  public var isUndated: Bool { records > 0 && undated == records }
}
