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
