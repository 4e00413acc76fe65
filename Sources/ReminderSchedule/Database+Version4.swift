internal import Loans

extension Database {
  /// Puts the texts of loans, which each had a column, into the rows and pages that have them since
  /// version 4.
  func packDetails() throws {
    let insert = try RowStatement(once: self, sql: "INSERT INTO text VALUES (?, ?)")
    let details = try RowStatement(
      once: self,
      sql: """
        SELECT loan, loan_id, title, author, isbn, barcode, borrower, email, expiration_time,
          identity
        FROM detail ORDER BY loan
        """)
    while try details.next() {
      let loan = details.loan(from: 1)
      var bytes: [UInt8] = []
      PackedLoan.append(loan, LoanIdentity(details.text(9) ?? "", of: loan), to: &bytes)
      try insert.run { parameters in
        parameters.bind(details.integer(0))
        parameters.bind(blob: bytes)
      }
    }
    for catalogue in try catalogues(nil).keys.sorted()
    where try Packing.isDue(self, catalogue: catalogue, packed: 0) {
      var packing = try Packing(
        self, catalogue: catalogue, LoanRows(self, catalogue: catalogue),
        PageWriter(self, catalogue: catalogue))
      try packing.run()
    }
  }
}

extension Database {
  /// Puts the flights that a run left behind, of which each notice had a row with what the ledger
  /// had said of it, into the one row that they have since version 4, and the ledger back.
  func packFlights() throws {
    let key = """
      delivery.loan = flight_3.loan AND delivery.kind = flight_3.kind
        AND delivery.expiration = flight_3.expiration AND delivery.channel = flight_3.channel
      """
    let rows = try RowStatement(
      once: self,
      sql: """
        SELECT batch, position, loan, kind, expiration, channel,
          (SELECT at FROM delivery WHERE \(key)) FROM flight_3 ORDER BY batch, id
        """)
    var flights: [Flight] = []
    while try rows.next() {
      if flights.last?.batch != rows.integer(0) {
        let at = CivilDateTime(ordinal: Int(rows.integer(6))) ?? CivilDateTime(.first)
        flights.append(Flight(rows.integer(0), channel: rows.integer(5), at: at))
      }
      flights[flights.count - 1].notices.append(
        Flight.FlyingNotice(
          loan: rows.integer(2), kind: Notice.Kind(stored: rows.integer(3)),
          expiration: rows.integer(4), position: Int(rows.integer(1))))
    }
    try execute(
      sql: """
        UPDATE delivery SET (state, attempts, at, error, delivered_at) =
          (SELECT state, attempts, at, error, delivered_at FROM flight_3
           WHERE \(key) AND state IS NOT NULL)
        WHERE EXISTS (SELECT 1 FROM flight_3 WHERE \(key) AND state IS NOT NULL);
        DELETE FROM delivery
        WHERE EXISTS (SELECT 1 FROM flight_3 WHERE \(key) AND state IS NULL);
        """)
    for flight in flights { try insert(flight) }
  }
}

extension RowStatement {
  /// The loan whose texts and time are in eight columns of the current row; it has no last day.
  fileprivate func loan(from first: Int32) -> Loan {
    Loan(
      id: text(first), title: text(first + 1), author: text(first + 2), isbn: text(first + 3),
      barcode: text(first + 4), borrower: text(first + 5), email: text(first + 6),
      expiration: .first,
      expirationTime: optionalInteger(first + 7).flatMap { CivilTime(secondOfDay: Int($0)) })
  }
}
