import LoanCatalogue
import Loans

/// What the first loans of a catalogue are, read by a profile.
struct ProfileTrial {
  private let path: String
  private let reader: CatalogueReader
  /// More are not looked at.
  private static let mostLoans = 3

  init(_ profile: CatalogueProfile, _ path: String, _ environment: Environment) throws {
    self.path = path
    // Where only the day of lending is known, any number of days shows what is read.
    reader = CatalogueReader(
      profile: profile, loanDays: profile.countsFromLoan ? 28 : nil,
      civilTime: try LocalClock(environment["TZ"], environment).civilTime)
  }

  /// Prints the fields of each loan, and what is wrong with it.
  func print(to console: Console) throws {
    var (loans, others) = (0, 0)
    let reading = try reader.open(path)
    while let events = try reading.next() {
      for event in events {
        switch event {
        case .record(let record) where record.isLent:
          loans += 1
          try console.print(text(of: record))
        case .record(let record):
          others += 1
          if others <= Self.mostLoans {
            try console.print("\(place(of: record)): a book that is not lent\n")
          }
        case .diagnostic(let diagnostic):
          try console.print("\(LocatedDiagnostic(path: path, diagnostic: diagnostic).line)\n")
        }
        if loans == Self.mostLoans { return }
      }
    }
  }

  private func place(of record: LoanRecord) -> String {
    "\(path.visible):\(record.location.line):\(record.location.column)"
  }

  private func text(of record: LoanRecord) -> String {
    let kind =
      switch record.expiration {
      case .date: "a loan"
      case .none: "a loan without expiration"
      case .unusable: "a loan without a usable date"
      }
    return LoanField.allCases.filter { $0 != .loaned }
      .reduce("\(place(of: record)): \(kind)\n") { text, field in
        let name = "\(field)"
        let padding = String(repeating: " ", count: 12 - name.count)
        return text + "  \(name)\(padding)\((value(of: field, record) ?? "-").visible)\n"
      }
  }

  private func value(of field: LoanField, _ record: LoanRecord) -> String? {
    guard field == .expiration, let loan = record.loan else { return record.text(of: field) }
    return loan.expiration.dotted
      + (loan.expirationTime.map { " \($0.hoursAndMinutes)" } ?? "")
  }
}

extension CatalogueProfile {
  /// Whether it counts expirations from the day of lending.
  fileprivate var countsFromLoan: Bool {
    records.flatMap(\.fields).contains(where: \.countsFromLoan)
  }
}
