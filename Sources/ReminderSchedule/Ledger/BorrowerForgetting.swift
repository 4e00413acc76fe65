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
  /// - Parameter borrower: an e-mail address, or the name of a borrower without a usable one; case, how its
  ///   accents are encoded, and which white space it has do not count.
  public func forget(borrower: String) throws(ScheduleError) -> Forgotten {
    try writeByUser { database in
      var borrower = ForgottenBorrower(borrower)
      try borrower.find(in: database)
      var forgotten = Forgotten(returned: borrower.loans.count, addresses: borrower.addresses)
      let persons = JSONValue.array(borrower.persons.map { .int(Int($0)) }).text
      let loans = JSONValue.array(borrower.loans.map { .int(Int($0)) }).text
      let addresses = JSONValue.array(borrower.sentTo.map(JSONValue.string)).text
      // A returned loan's are the borrower's, whatever address it had when they were sent; and what was sent
      // about a loan that is still there keeps it from being sent again.
      let isForgotten = """
        (person IN (SELECT value FROM json_each(?1)) OR (catalogue, identity, expiration) IN (
          SELECT id >> \(LoanID.shift), identity, expiration FROM left_loan
          WHERE id IN (SELECT value FROM json_each(?2))))
        AND (catalogue, identity, person) NOT IN (
          SELECT id >> \(LoanID.shift), identity, person FROM loan)
        """
      try database.run("DELETE FROM silence WHERE \(isForgotten)", persons, loans)
      try database.run("DELETE FROM delivery WHERE \(isForgotten)", persons, loans)
      forgotten.notices = database.changes
      try database.run(
        """
        DELETE FROM delivery WHERE sent_to IN (SELECT value FROM json_each(?1))
          AND (catalogue, identity, person) NOT IN (
            SELECT id >> \(LoanID.shift), identity, person FROM loan
            UNION ALL
            SELECT id >> \(LoanID.shift), identity, person FROM left_loan
            WHERE id NOT IN (SELECT value FROM json_each(?2)))
        """, addresses, loans)
      forgotten.notices += database.changes
      try database.run(
        "DELETE FROM left_loan WHERE id IN (SELECT value FROM json_each(?1))", loans)
      try database.forgetReasons()
      try borrower.leaveOut(ofReasonsIn: database)
      forgotten.present = try database.count(
        "loan WHERE person IN (SELECT value FROM json_each(?))", persons)
      return forgotten
    }
  }

  /// Writes the file anew, without what is left of deleted rows: a page that was divided keeps a copy of what it
  /// had, in its free part.
  ///
  /// - SeeAlso: VACUUM and `PRAGMA temp_store` in SQLite's documentation.
  public func eraseForgotten() throws(ScheduleError) {
    // The copy would be in a directory for everybody otherwise, and may find no room there.
    try reader.connection.perform { try $0.execute("PRAGMA temp_store = MEMORY; VACUUM") }
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
  /// Where notices were sent.
  private(set) var sentTo: [String] = []

  init(_ text: String) {
    key = Self.key(text)
    isAddress = text.contains("@")
    persons = [Person.number(ofBorrower: text.trimmed)]
  }

  /// Characters that are equal by Unicode are equal here, however they are encoded, and so is white space.
  private static func key(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
  }

  /// Replaces the names and addresses in what channels have said of several notices.
  func leaveOut(ofReasonsIn database: Database) throws {
    let reasons = try database.rows(
      "SELECT id, text FROM reason WHERE text <> ?", Delivery.toLibrary
    ) { ($0.integer(0), $0.text(1) ?? "") }
    // A name may be a part of another.
    let longestFirst = texts.sorted { $0.count > $1.count }
    for (id, reason) in reasons {
      let text = longestFirst.reduce(reason) { $0.leavingOut($1) }
      if text.utf8.elementsEqual(reason.utf8) { continue }
      if let same = try database.integer("SELECT id FROM reason WHERE text = ?", text) {
        try database.run("UPDATE delivery SET reason = ? WHERE reason = ?", same, id)
        try database.run("DELETE FROM reason WHERE id = ?", id)
      } else {
        try database.run("UPDATE reason SET text = ? WHERE id = ?", text, id)
      }
    }
  }

  mutating func find(in database: Database) throws {
    let rows = try database.rows("SELECT id, person, fields FROM left_loan") { row in
      (row.integer(0), row.integer(1), row.text(2).flatMap(StoredTexts.init))
    }
    for (id, person, stored) in rows {
      let (name, email) = (stored?[.borrower] ?? "", stored?[.email] ?? "")
      let isNamed = Self.key(name) == key
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
    sentTo = known.filter { Self.key($0) == key }
    texts.formUnion(sentTo)
  }
}

extension String {
  /// The text without a name or an address in it, whatever its case.
  ///
  /// A short name may be a part of other words, and an address one of another; a long name has endings in
  /// some languages, and no space around it in others.
  fileprivate func leavingOut(_ words: String) -> String {
    let words = Array(words.lowercased())
    if words.isEmpty { return self }
    let isAddress = words.contains("@")
    let isEndless = !isAddress && words.count > 3 || !words.contains(where: \.isCased)
    func isPart(_ character: Character) -> Bool {
      character.isLetter || character.isNumber || isAddress && "._%+-".contains(character)
    }
    var text = Array(self)
    var index = 0
    while index + words.count <= text.count {
      let end = index + words.count
      let isBegun = index == 0 || !isPart(text[index - 1]) || !words[0].isCased && !isAddress
      // An address may end a sentence.
      let rest = text[end...].drop { isAddress && $0 == "." }
      if isBegun, isEndless || rest.first.map(isPart) != true,
        zip(text[index..<end], words).allSatisfy({ $0.lowercased() == String($1) })
      {
        text.replaceSubrange(index..<end, with: "…")
      }
      index += 1
    }
    return String(text)
  }
}
