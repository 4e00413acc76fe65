import CommandOutput
import Loans
import ReminderService

/// The form for spreadsheets: a line for each loan, after one with the names of the columns.
struct CSVForm: ReportForm {
  /// The keys of the members that make the columns.
  static let columns: [JSONValue] = [
    "catalogue", "line", "id", "title", "author", "isbn", "barcode", "borrower", "email",
    "language", "category", "type", "library", "renewable", "loanStatus", "phone", "address",
    "callNumber",
    "expiration", "status", "daysLeft", "remindAt", "expirationTime",
  ]

  func append(_ loan: ReadLoan, of catalogue: ReportedCatalogue, to line: inout [UInt8]) {
    line += CSV.line(loan.members(of: catalogue).prefix(Self.columns.count).map(\.value)).utf8
  }

  func print(_ report: CheckReport, _ output: ResultsOutput) throws(CommandError) {
    try output.print(CSV.line(Self.columns))
    try report.lines.forEach { _, text throws(CommandError) in try output.print(text) }
  }
}
