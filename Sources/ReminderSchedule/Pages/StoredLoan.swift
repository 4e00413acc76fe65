/// What decides about a loan: all that a reload compares, and all that says what is due.
struct StoredLoan {
  /// What is known of a loan beside that.
  struct Marks: OptionSet {
    var rawValue: UInt8

    /// The user has cancelled its notices.
    static let cancelled = Marks(rawValue: 1)
    /// The loan is no longer in its catalogue.
    static let left = Marks(rawValue: 2)
    /// A page has it, as it was when the page was written.
    static let packed = Marks(rawValue: 4)
    /// The table `loan` has it, as it is.
    static let row = Marks(rawValue: 8)
  }

  /// The number of the loan in the schedule.
  var id: Int64
  var key: UInt64
  /// See ``Reload/add(key:fingerprint:expiration:fireAt:reminder:)``.
  var fingerprint: UInt64
  /// The ordinal of a moment.
  var fireAt: Int64
  /// A day number.
  var expiration: Int32
  /// If it has left, the day number of the reload that missed it.
  var leftOn: Int32 = 0
  var marks: Marks = []

  /// Whether its catalogue has it and the user has not cancelled it.
  var isScheduled: Bool { marks.isDisjoint(with: [.cancelled, .left]) }
  var hasLeft: Bool { marks.contains(.left) }
  var hasRow: Bool { marks.contains(.row) }
  var isPacked: Bool { marks.contains(.packed) }

  /// Whether everything that a catalogue tells of it is the same.
  func isSame(as other: StoredLoan) -> Bool {
    key == other.key && fingerprint == other.fingerprint && expiration == other.expiration
      && fireAt == other.fireAt
  }
}

/// The loans of a page: a run of numbers, what decides about them in 32 bytes each.
///
/// The first eight bytes repeat the page's number. Then come, low bytes first, the expiration and,
/// above it, how far the loan's number is from the first one's; the key; the fingerprint; and the
/// fire date.
enum LoanPage {
  /// With so many a page and its place in SQLite's file are one (4,096 bytes).
  static var capacity: Int { 126 }

  /// How far apart the first and the last number may be.
  static var longestReach: Int64 { Int64(UInt32.max) }

  /// Appends the loans of a page, one for each four words; they may have no row of their own.
  ///
  /// - Throws: `DatabaseError` `corrupt` if the words are not what ``words(of:number:)`` makes.
  static func read(
    _ number: PageNumber, into loans: inout ContiguousArray<StoredLoan>,
    _ forEachWord: ((UInt64) throws -> Void) throws -> Void
  ) throws {
    var (position, head, key, fingerprint) = (-1, UInt64(0), UInt64(0), UInt64(0))
    var last = Int64(-1)
    var isWhole = true
    try forEachWord { word in
      if position < 0 {
        isWhole = word == UInt64(bitPattern: number.rawValue)
        position = 0
        return
      }
      switch position & 3 {
      case 0: head = word
      case 1: key = word
      case 2: fingerprint = word
      default:
        let offset = Int64(head >> 32)
        isWhole = isWhole && offset > last && (last >= 0 || offset == 0)
        last = offset
        loans.append(
          StoredLoan(
            id: number.first &+ offset, key: key, fingerprint: fingerprint,
            fireAt: Int64(bitPattern: word), expiration: Int32(truncatingIfNeeded: head),
            marks: .packed))
      }
      position += 1
    }
    guard isWhole, position > 0, position & 3 == 0 else { throw Schema.damage("a page of loans") }
  }

  /// The words of a page of loans, which are in the order of their numbers.
  static func words(of loans: some Collection<StoredLoan>, number: PageNumber) -> [UInt64] {
    var words = [UInt64(bitPattern: number.rawValue)]
    words.reserveCapacity(loans.count * 4 + 1)
    for loan in loans {
      let day = UInt64(UInt32(bitPattern: loan.expiration))
      words.append(UInt64(loan.id - number.first) << 32 | day)
      words.append(loan.key)
      words.append(loan.fingerprint)
      words.append(UInt64(bitPattern: loan.fireAt))
    }
    return words
  }
}

extension RowStatement {
  /// Appends the loans of the page in the two columns of the current row, its number and its words.
  ///
  /// - Returns: the page's number.
  func readPage(into loans: inout ContiguousArray<StoredLoan>) throws -> PageNumber {
    let number = PageNumber(rawValue: integer(0))
    try LoanPage.read(number, into: &loans) { body in try forEachWord(1, body) }
    return number
  }
}

/// The number of a page: its catalogue, and the first loan on it.
struct PageNumber: RawRepresentable, Equatable {
  var rawValue: Int64

  private static let shift: Int64 = 40

  /// Loans have numbers below this.
  static let end: Int64 = 1 << shift
  /// The numbers that catalogues have.
  static let catalogues: Range<Int64> = 0..<1 << 22

  init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// The number of a page of this catalogue that begins with a loan.
  init(catalogue: Int64, loan: Int64) {
    rawValue = catalogue << Self.shift | loan
  }

  var first: Int64 { rawValue & (Self.end - 1) }
  var catalogue: Int64 { rawValue >> Self.shift }
}
