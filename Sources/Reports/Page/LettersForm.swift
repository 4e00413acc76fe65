import CommandOutput
import Languages
import LoanCatalogue
import LoanRules
import Loans
import Mail
import ReminderService

/// The form for the printer: a page for each borrower, in the words of mail and in the borrower's
/// language.
final class LettersForm: ReportForm {
  private let request: ReportRequest
  /// What letters are about; the lines of the report are indices of it.
  private var notices: [Notice] = []

  init(_ request: ReportRequest) { self.request = request }

  func append(_ loan: ReadLoan, of catalogue: ReportedCatalogue, to line: inout [UInt8]) {
    guard !loan.status.isWithheld, let full = loan.record.loan else { return }
    let notice = Notice(
      rung: -full.daysLeft(today: catalogue.now.date), loan: full, catalogue: catalogue.path,
      library: catalogue.library, openDays: loan.plan.openDays)
    line += "\(notices.count)\n".utf8
    notices.append(notice.hidingTitles(request.page.titles))
  }

  func print(_ report: CheckReport, _ output: ResultsOutput) throws(CommandError) {
    let (readers, rest) = try readers(report)
    let title = request.language.text(.letters, count: readers.count)
    let page = HTMLPage(
      title: title, language: request.language, refresh: request.page.refresh, kind: "letters")
    var notes = rest == 0 ? [] : [request.language.text(.loansWithoutLetter, count: rest)]
    notes += report.gaps
    let header = notes.map { "<p>\($0.visible.escapedAsMarkup)</p>\n" }.joined()
    try output.print(
      page.start + "<header>\n<h1>\(title.escapedAsMarkup)</h1>\n\(header)</header>\n<main>\n")
    for reader in readers { try output.print(html(for: reader)) }
    try output.print("</main>\n" + page.end)
  }

  /// The notices for each borrower, and the number of those that are for nobody.
  private func readers(_ report: CheckReport) throws(CommandError) -> ([[Notice]], rest: Int) {
    var readers: [[Notice]] = []
    var places: [[String]: Int] = [:]
    var rest = 0
    try report.lines.forEach { _, text throws(CommandError) in
      for line in String(decoding: [UInt8](copying: text), as: UTF8.self).split(separator: "\n") {
        guard let notice = Int(line).map({ notices[$0] }) else { continue }
        if notice.loan.borrower == nil {
          rest += 1
          continue
        }
        let identity = notice.loan.identity
        let place = places[identity] ?? readers.count
        places[identity] = place
        if place == readers.count { readers.append([]) }
        readers[place].append(notice)
      }
    }
    return (readers, rest)
  }

  private func html(for notices: [Notice]) -> String {
    guard let first = notices.first else { return "" }
    let language = request.page.languageOf(first)
    let today = request.now.date
    let sender = request.page.sender ?? first.library ?? ""
    let letter = Letter(about: notices, in: language, today: today, sender: sender)
    let addressed = notices.first { $0.loan.address != nil } ?? first
    let lines = addressed.loan.addressLines.map(\.visible.escapedAsMarkup)
    return """
      <article lang="\(language.tag)">
      <address>\(lines.joined(separator: "<br>\n"))</address>
      <time datetime="\(today)">\(language.longDate(today).escapedAsMarkup)</time>
      <h2>\(letter.subject.escapedAsMarkup)</h2>
      \(letter.fragment)</article>

      """
  }
}

extension Loan {
  /// The lines of the borrower's address on a letter; a catalogue has the postal one in a single line.
  fileprivate var addressLines: [String] {
    let lines = (address ?? "").split(separator: ",").map { String($0).withoutOuterSpaces }
    return [borrower].compactMap(\.self) + (lines.isEmpty ? [email].compactMap(\.self) : lines)
  }
}
