import LoanCatalogue
import Loans

/// What the first loans of a catalogue are, read by a profile.
struct ProfileTrial {
  private let path: String
  private let reader: CatalogueReader
  /// More are not looked at.
  private static let mostLoans = 3

  init(_ profile: CatalogueProfile, _ path: String) {
    self.path = path
    // Where only the day of lending is known, any number of days shows what is read.
    reader = CatalogueReader(
      profile: profile, loanDays: profile.countsFromLoan ? 28 : nil,
      civilTime: ZoneClock.civilTime)
  }

  /// Prints the fields of each loan, and what is wrong with it.
  func print(to console: Console) throws(CommandError) {
    var loans = 0
    do {
      let reading = try reader.open(path)
      while let events = try reading.next() {
        for event in events {
          switch event {
          case .record(let record):
            loans += 1
            try console.print(text(of: record))
          case .diagnostic(let diagnostic):
            try console.print("\(LocatedDiagnostic(path: path, diagnostic: diagnostic).line)\n")
          }
          if loans == Self.mostLoans { return }
        }
      }
    } catch {
      throw CommandError(error)
    }
  }

  private func text(of record: LoanRecord) -> String {
    let place = "\(path.visible):\(record.location.line):\(record.location.column)"
    guard let loan = record.loan else {
      let isMissing = record.expiration == .none
      return
        "\(place): \(isMissing ? "a book without expiration" : "a loan without a usable date")\n"
    }
    let time = loan.expirationTime.map { " \($0)" } ?? ""
    let fields = [
      ("id", loan.id), ("title", loan.title), ("author", loan.author), ("isbn", loan.isbn),
      ("barcode", loan.barcode), ("borrower", loan.borrower), ("email", loan.email),
      ("expiration", "\(loan.expiration.dotted)\(time)"),
    ]
    return fields.reduce("\(place): a loan\n") { text, field in
      let padding = String(repeating: " ", count: 12 - field.0.count)
      return text + "  \(field.0)\(padding)\((field.1 ?? "-").visible)\n"
    }
  }
}

extension CatalogueProfile {
  /// Whether it counts expirations from the day of lending.
  fileprivate var countsFromLoan: Bool {
    records.flatMap(\.fields).contains(where: \.countsFromLoan)
  }
}
