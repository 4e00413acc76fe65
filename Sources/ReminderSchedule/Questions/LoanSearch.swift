public import Loans

extension ScheduleReader {
  /// The numbers of the loans that a text names, also of those that have left within the last 400
  /// days: by their number, or else by their own id, or else by their barcode, or else by a part of the
  /// title, in upper or lower case.
  ///
  /// - Returns: the numbers, those of loans in a catalogue first; empty if the text means nothing.
  public func loans(named text: String) throws(ScheduleError) -> [Int] {
    if let number = Int(text), try !numbers(where: "number = ?", number).isEmpty { return [number] }
    for column in ["loan_id", "barcode"] {
      let found = try numbers(where: "\(column) = ?", text)
      if !found.isEmpty { return found }
    }
    return text.isEmpty ? [] : try loans { $0.title.fits(anyCase: text) }
  }

  /// The numbers of the loans that fit, also of those that have left within the last 400 days.
  ///
  /// - Parameter fits: whether a loan does.
  public func loans(where fits: (Loan) -> Bool) throws(ScheduleError) -> [Int] {
    try connection.read { database in
      let ladders = try Ladders(database)
      return try database.rows(ScheduledLoan.query) { row in
        let scheduled = try ScheduledLoan(row, ladders)
        return fits(scheduled.loan) ? (scheduled.leftOn, scheduled.id) : nil
      }.inOrder
    }
  }

  /// Some ids, barcodes and titles of loans, the first 10,000 loans of them: more take long to compare.
  public func names() throws(ScheduleError) -> [String] {
    try connection.read { database in
      try database.rows("SELECT loan_id, barcode, title FROM loan LIMIT 10000") { row in
        (0..<3).compactMap { row.text($0) }
      }.flatMap(\.self)
    }
  }

  private func numbers(
    where condition: String, _ value: some Bindable
  ) throws(ScheduleError) -> [Int] {
    try connection.read { database in
      try database.rows("SELECT left_on, number FROM loan WHERE \(condition)", value) { row in
        (row.day(0), Int(row.integer(1)))
      }.inOrder
    }
  }
}

extension [(leftOn: CivilDate?, number: Int)?] {
  /// The numbers, those of loans in a catalogue first, then the last to leave.
  fileprivate var inOrder: [Int] {
    compactMap(\.self)
      .sorted { ($1.leftOn ?? .last, $0.number) < ($0.leftOn ?? .last, $1.number) }
      .map(\.number)
  }
}

extension String? {
  /// Whether a part, if there is one, is in this text, in upper or lower case.
  public func fits(anyCase part: String?) -> Bool {
    part.map { self?.contains(anyCase: $0) ?? false } ?? true
  }
}

extension String {
  /// Whether another text is a part of this one, in upper or lower case.
  fileprivate func contains(anyCase part: String) -> Bool {
    lowercased().contains(part.lowercased())
  }
}
