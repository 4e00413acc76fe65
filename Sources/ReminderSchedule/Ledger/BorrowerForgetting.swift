internal import Loans

extension Schedule {
  /// What was forgotten of a borrower, and what could not be.
  public struct Forgotten: Equatable, Sendable {
    /// The loans that were returned.
    public var returned = 0
    /// The notices that were sent about them.
    public var notices = 0
    /// The loans that a catalogue still has, about which what was sent is kept.
    public var present = 0
    /// The addresses of returned loans to somebody of the name, who is known by these.
    public var addresses: Set<String> = []

    /// Whether there was nothing.
    public var isNothing: Bool { returned + notices + present == 0 }
  }

  /// Forgets what is kept of one borrower beyond the loans that a catalogue has: those that were returned,
  /// what was sent about them under whatever address, and silences of single ones.
  ///
  /// - Parameter borrower: an e-mail address, or the name of a borrower without a usable one; case, and how
  ///   its accents are encoded, do not count.
  public func forget(borrower: String) throws(ScheduleError) -> Forgotten {
    try writeByUser { database in
      var borrower = ForgottenBorrower(borrower)
      try borrower.find(in: database)
      var forgotten = Forgotten(returned: borrower.loans.count, addresses: borrower.addresses)
      for condition in borrower.conditions {
        for table in ["delivery", "silence"] where condition.fits(table) {
          // What was sent about a loan that is still there keeps it from being sent again.
          try condition.run(
            """
            DELETE FROM \(table) WHERE \(condition.sql) AND (catalogue, identity, person) NOT IN (
              SELECT id >> \(LoanID.shift), identity, person FROM loan)
            """, in: database)
          if table == "delivery" { forgotten.notices += database.changes }
        }
      }
      for id in borrower.loans { try database.run("DELETE FROM left_loan WHERE id = ?", id) }
      try database.forgetReasons()
      // What a program said of several notices may name several borrowers.
      for text in borrower.texts {
        try database.run(
          "UPDATE OR IGNORE reason SET text = replace(text, ?1, '…') WHERE instr(text, ?1)", text)
      }
      for person in borrower.persons {
        forgotten.present += try database.count("loan WHERE person = ?", person)
      }
      return forgotten
    }
  }
}

/// A borrower as a schedule may know one: by the numbers of persons, by returned loans, and by an address in
/// clear.
private struct ForgottenBorrower {
  private let key: String
  private let isAddress: Bool
  private(set) var persons: Set<Int64>
  /// The rows of returned loans.
  private(set) var loans: [Int64] = []
  private(set) var addresses: Set<String> = []
  /// Names and addresses of the borrower, as they are written somewhere.
  private(set) var texts: Set<String> = []
  private var sentTo: [String] = []

  init(_ text: String) {
    let trimmed = Self.trimmed(text)
    key = Self.key(trimmed)
    isAddress = trimmed.contains("@")
    persons = [Person.number(ofBorrower: EmailAddress.key(of: trimmed) ?? trimmed)]
  }

  /// Characters that are equal by Unicode are equal here, however they are encoded.
  private static func key(_ text: String) -> String { trimmed(text).lowercased() }

  private static func trimmed(_ text: String) -> String {
    let start = text.drop(while: \.isWhitespace)
    return String(
      start[..<(start.lastIndex { !$0.isWhitespace }.map(start.index(after:)) ?? start.startIndex)])
  }

  mutating func find(in database: Database) throws {
    let rows = try database.rows("SELECT id, person, fields FROM left_loan") { row in
      (row.integer(0), row.integer(1), row.text(2).flatMap(StoredTexts.init))
    }
    for (id, person, stored) in rows {
      let (name, email) = (stored?[.borrower] ?? "", stored?[.email] ?? "")
      let isNamed = !isAddress && Self.key(name) == key
      let isUsable = EmailAddress.fault(of: email.utf8.span) == nil
      if isNamed, isUsable, !email.isEmpty, !persons.contains(person) { addresses.insert(email) }
      guard
        persons.contains(person) || isAddress && Self.key(email) == key
          || isNamed && (email.isEmpty || !isUsable)
      else { continue }
      loans.append(id)
      persons.insert(person)
      texts.formUnion([name, email].filter { !$0.isEmpty })
    }
    let known = try database.rows(
      "SELECT DISTINCT sent_to FROM delivery WHERE sent_to IS NOT NULL"
    ) { $0.text(0) ?? "" }
    if isAddress { sentTo = known.filter { Self.key($0) == key } }
    texts.formUnion(sentTo)
  }

  /// An SQL condition with its values.
  struct Condition {
    let sql: String
    var number: Int64?
    var text: String?

    /// Whether a table has the columns.
    func fits(_ table: String) -> Bool { text == nil || table == "delivery" }

    func run(_ statement: String, in database: Database) throws {
      if let text { try database.run(statement, text) } else { try database.run(statement, number) }
    }
  }

  /// Which deliveries and silences are the borrower's.
  ///
  /// Those of a returned loan are, whatever address it had when they were sent.
  var conditions: [Condition] {
    let ofLoan = """
      (catalogue, identity, expiration) IN (
        SELECT id >> \(LoanID.shift), identity, expiration FROM left_loan WHERE id = ?1)
      """
    return persons.map { Condition(sql: "person = ?1", number: $0) }
      + loans.map { Condition(sql: ofLoan, number: $0) }
      + sentTo.map { Condition(sql: "sent_to = ?1", text: $0) }
  }
}
