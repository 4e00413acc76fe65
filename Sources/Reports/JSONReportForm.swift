import CommandOutput
import LoanCatalogue
import LoanRules
package import Loans
import ReminderService

/// The form for programs: one JSON document.
struct JSONReportForm: ReportForm {
  let request: ReportRequest

  func append(_ read: ReadLoan, of catalogue: ReportedCatalogue, to line: inout [UInt8]) {
    line += ",\(JSONValue.object(read.members(of: catalogue)).text)".utf8
  }

  func print(_ report: CheckReport, _ output: ResultsOutput) throws(CommandError) {
    let zone = JSONValue.string(request.zone).text
    try output.print(
      "{\"version\":1,\"now\":\"\(request.now)\",\"timeZone\":\(zone),\"catalogues\":")
    let catalogues = JSONValue.array(report.catalogues.map(\.json)).text
    try output.print("\(catalogues),\"loans\":[")
    var comma = 1
    try report.lines.forEach { _, text throws(CommandError) in
      try output.print(text.extracting(comma...))
      comma = 0
    }
    try output.print("],\"diagnostics\":[\(report.diagnostics.joined(separator: ","))],")
    let unread = JSONValue.unread(report.catalogues.map { ($0.catalogue.path, $0.failure) })
    try output.print("\"unread\":\(unread.text)}\n")
  }
}

extension ReadLoan {
  /// All that is known of a loan, as the members of an object; the last one is an object too.
  package func members(of catalogue: ReportedCatalogue) -> [(key: String, value: JSONValue)] {
    let loan = record.loan ?? Loan(expiration: expiration)
    let place: [(key: String, value: JSONValue)] = [
      ("catalogue", .string(catalogue.path)), ("line", .int(record.location.line)),
    ]
    let dates: [(key: String, value: JSONValue)] = [
      ("expiration", .string("\(loan.expiration)")),
      ("status", .string(status.rawValue)),
      ("daysLeft", .int(loan.daysLeft(today: catalogue.now.date))),
      ("remindAt", JSONValue(remindAt(catalogue.now)?.toTheMinute)),
      ("expirationTime", JSONValue(loan.expirationTime?.description)),
      ("openDays", plan.openDays?.json ?? .null),
    ]
    return place + loan.members(library: catalogue.library) + loan.deskMembers + dates
  }

  /// The time of the reminder that was reached, or else of the one to come.
  fileprivate func remindAt(_ now: CivilDateTime) -> CivilDateTime? {
    let rung = plan.reached(at: now) ?? plan.next(after: now)?.rung
    return rung.flatMap { $0 > 0 ? nil : plan.fireDate($0) }
  }
}

extension Loan {
  /// The members about what only the catalogue has, since it is for staff.
  var deskMembers: [(key: String, value: JSONValue)] {
    [
      ("phone", JSONValue(phone)), ("address", JSONValue(address)),
      ("callNumber", JSONValue(callNumber)),
    ]
  }
}

extension CatalogueReport {
  fileprivate var json: JSONValue {
    .object([
      ("path", .string(catalogue.path)), ("loans", .int(summary.loans)),
      ("onShelf", .int(summary.onShelf)), ("expired", .int(expired)),
      ("expiresToday", .int(expiresToday)), ("scheduled", .int(scheduled)),
      ("diagnostics", .int(diagnostics)), ("profile", JSONValue(summary.profile)),
      ("withoutExpiration", .int(summary.withoutExpiration)),
      ("library", JSONValue(catalogue.library)), ("silenced", .int(silenced.loans)),
      ("lost", .int(lost)), ("claimedReturned", .int(claimedReturned)),
    ])
  }
}
