public import Loans

extension ScheduleReader {
  /// The numbers of the loans that a text names, also of those that have left within the last 400
  /// days: by their number, or else by their own id, or else by their barcode, or else by a part of the
  /// title, in upper or lower case.
  ///
  /// - Returns: the numbers, those of loans in a catalogue first; empty if the text means nothing.
  public func loans(named text: String) throws(ScheduleError) -> [Int] {
    if let number = Int(text),
      try connection.transact({ database in try database.rowID(ofLoan: number) }) != nil
    {
      return [number]
    }
    for field in [LoanField.id, .barcode] {
      let found = try connection.transact { database in
        try LoanTable.allCases.flatMap { table in
          try database.rows(
            """
            SELECT id & ?2 FROM \(table.rawValue) WHERE \(StoredTexts.column(field)) = ?1
            ORDER BY \(table.leftOn) DESC, id & ?2
            """, text, LoanID.numbers - 1
          ) { Int($0.integer(0)) }
        }
      }
      if !found.isEmpty { return found }
    }
    return text.isEmpty ? [] : try loans { $0.title.fits(anyCase: text) }
  }

  /// The numbers of the loans that fit, also of those that have left within the last 400 days.
  ///
  /// - Parameter fits: whether a loan does.
  /// - Returns: the numbers, those of loans in a catalogue first, then the last to leave.
  public func loans(where fits: (Loan) -> Bool) throws(ScheduleError) -> [Int] {
    try connection.transact { database in
      let ladders = try Ladders(database)
      return try LoanTable.allCases.flatMap { table in
        let order = "ORDER BY \(table.leftOn) DESC, loan.id & \(LoanID.numbers - 1)"
        return try database.rows("\(ScheduledLoan.query(table)) \(order)") { row in
          let scheduled = try ScheduledLoan(row, ladders)
          return fits(scheduled.loan) ? scheduled.id : nil
        }.compactMap(\.self)
      }
    }
  }

  /// The numbers of the loans about which somebody who fits was told, whoever has the book now.
  ///
  /// - Parameter fits: whether an address or a name, as it was told, does.
  /// - Returns: the numbers, those of loans in a catalogue first.
  public func loans(toldTo fits: (String) -> Bool) throws(ScheduleError) -> [Int] {
    try connection.transact { database in
      try LoanTable.allCases.flatMap { table in
        try database.rows(
          """
          SELECT DISTINCT loan.id & ?, sent_to FROM \(table.rawValue) AS loan CROSS JOIN delivery
            ON delivery.catalogue = loan.id >> \(LoanID.shift) AND delivery.identity = loan.identity
          WHERE sent_to IS NOT NULL ORDER BY \(table.leftOn) DESC, 1
          """, LoanID.numbers - 1
        ) { row in row.text(1).map(fits) == true ? Int(row.integer(0)) : nil }.compactMap(\.self)
      }
    }
  }

  /// The ids, barcodes and titles of the first 10,000 loans: more take long to compare.
  public func suggestions() throws(ScheduleError) -> [String] {
    try connection.transact { database in
      try database.rows("SELECT fields FROM loan LIMIT 10000") { row in
        let texts = row.text(0).flatMap(StoredTexts.init)
        return [LoanField.id, .barcode, .title].compactMap { texts?[$0] }
      }.flatMap(\.self)
    }
  }
}

extension String? {
  /// Whether a part, if there is one, is in this text, in upper or lower case.
  public func fits(anyCase part: String?) -> Bool {
    part.map { self?.lowercased().contains($0.lowercased()) ?? false } ?? true
  }
}
