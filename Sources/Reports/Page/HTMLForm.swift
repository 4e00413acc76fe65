import CommandOutput
import Languages
import Loans
import ReminderService

/// The form for browsers: a page with counts, a chart and a table, which needs neither its style nor its
/// script to be read.
struct HTMLForm: ReportForm {
  private let request: ReportRequest
  private let fields: TableForm
  private let grouping: ReportGrouping

  /// The most rows of the table.
  private static let mostRows = 10_000
  /// The most parts that are linked to.
  private static let mostLinks = 200
  private static let (whenColumn, titleColumn, borrowerColumn) = (1, 2, 4)
  /// The fields of a row before those of the columns: the day, and the urgency.
  private static let fieldsBefore = 2

  init(_ request: ReportRequest) {
    self.request = request
    grouping = request.grouping ?? .day
    fields = TableForm(
      language: request.language, isColored: false, grouping: grouping, terminal: request.terminal)
  }

  func append(_ loan: ReadLoan, of catalogue: ReportedCatalogue, to line: inout [UInt8]) {
    line += "\(loan.expiration)".utf8
    line.append(TablePrinter.separator)
    fields.append(loan, of: catalogue, to: &line)
  }

  func print(_ report: CheckReport, _ output: ResultsOutput) throws(CommandError) {
    var sections = ReportSections(grouping)
    var isFilled = TableForm.headings.indices.map { $0 == Self.whenColumn }
    try report.lines.forEachRow { key, row throws(CommandError) in
      sections.add(key)
      for column in isFilled.indices where !row[column + Self.fieldsBefore].isEmpty {
        isFilled[column] = true
      }
    }
    if request.page.hidesBorrowers { isFilled[Self.borrowerColumn] = false }
    let columns = isFilled.indices.filter { isFilled[$0] }
    let count = sections.all.reduce(0) { $0 + $1.loans }
    let page = HTMLPage(
      title: "\(language.text(.pageTitle)) \(language.date(request.now.date))", language: language,
      refresh: request.page.refresh, hasScript: count > 0)
    try output.print(page.start + header(report) + "<main>\n" + gaps(report) + links(sections))
    if let days = report.days {
      let closed = report.catalogues.filter { $0.failure == nil }.map(\.catalogue.closedDays)
      try output.print(ExpirationChart(days: days, closed: closed, language: language).html)
    }
    if count == 0 {
      try output.print("<p>\(text(.nothingToReport))</p>\n")
    } else {
      try printTable(report, sections, columns, count: count, output)
    }
    let later = report.contents.later
    let lines = [
      request.page.hidesBorrowers ? nil : report.summary,
      later == 0 || request.isQuiet ? nil : language.text(.laterLoans, count: later),
    ].compactMap(\.self)
      .map { "<p>\($0.escapedAsMarkup)</p>\n" }
    try output.print("</main>\n<footer>\n\(lines.joined())</footer>\n" + page.end)
  }

  private var language: Language { request.language }

  private func text(
    _ message: Message, _ values: [String: String] = [:], count: Int? = nil
  ) -> String {
    language.text(message, values, count: count).escapedAsMarkup
  }
}

// MARK: - Above the table

extension HTMLForm {
  private func header(_ report: CheckReport) -> String {
    let libraries = Set(report.catalogues.map(\.catalogue.library))
    let library = libraries.count == 1 ? libraries.first.flatMap(\.self) : nil
    let name = library.map { " · \($0.visible.escapedAsMarkup)" } ?? ""
    let time = request.now.toTheMinute
    let words = "\(language.date(request.now.date)) \(time.suffix(5))".escapedAsMarkup
    return """
      <header>
      <h1>\(text(.pageTitle))</h1>
      <p><time datetime="\(time)">\(words)</time>\(name)</p>
      </header>

      """
  }

  /// The catalogues whose loans may be missing; a screen for everybody does not show their names, which may
  /// be those of borrowers.
  private func gaps(_ report: CheckReport) -> String {
    if report.gaps.isEmpty { return "" }
    let items = report.gaps.map { "<li>\($0.visible.escapedAsMarkup)</li>\n" }.joined()
    let list = request.page.hidesBorrowers ? "" : "<ul>\n\(items)</ul>\n"
    return """
      <div class="warning">
      <p>\(text(.incompleteCatalogues, count: report.gaps.count))</p>
      \(list)</div>

      """
  }

  /// Links to the parts of the table, with the number of loans in each.
  private func links(_ sections: ReportSections) -> String {
    let all = sections.all.enumerated()
    let counts = Dictionary(uniqueKeysWithValues: all.map { (name(of: $1, $0), $1.loans) })
    var items: [String] = []
    if grouping == .day {
      items = DayGroup.allCases.compactMap { part in
        let (name, count) = ("\(part)", counts["\(part)"] ?? 0)
        if part == .withheld, count == 0 { return nil }
        let words = "<b>\(count)</b> \(part.group(in: language).heading.escapedAsMarkup)"
        return count == 0
          ? "<li><span>\(words)</span></li>\n"
          : "<li class=\"\(name)\"><a href=\"#\(name)\">\(words)</a></li>\n"
      }
    } else if sections.all.count <= Self.mostLinks {
      items = all.map { index, section in
        let heading = sections.heading(of: section, in: language).escapedAsMarkup
        return "<li><a href=\"#\(name(of: section, index))\">\(heading)</a> \(section.loans)</li>\n"
      }
    }
    if items.isEmpty { return "" }
    let list = "<ul class=\"\(grouping == .day ? "counts" : "parts")\">\n\(items.joined())</ul>\n"
    return "<nav aria-label=\"\(language.text(.partsOfPage).asXML)\">\n\(list)</nav>\n"
  }

  /// The identifier of a part within the page.
  private func name(of section: ReportSections.Section, _ index: Int) -> String {
    let day = grouping == .day ? DayGroup(rawValue: section.group.rank) : nil
    return day.map { "\($0)" } ?? "part-\(index + 1)"
  }
}

// MARK: - The table

extension HTMLForm {
  private func printTable(
    _ report: CheckReport, _ sections: ReportSections, _ columns: [Int], count: Int,
    _ output: ResultsOutput
  ) throws(CommandError) {
    let total = min(count, Self.mostRows)
    let heads = columns.map { column in
      let kind = column == Self.whenColumn ? " class=\"when\"" : ""
      return "<th scope=\"col\"\(kind)>\(text(TableForm.headings[column]))</th>"
    }
    // The script puts the number in the place of the sign.
    let shown = language.text(.shownLoans, ["shown": "#"], count: total).asXML
    try output.print(
      """
      <div role="search" hidden>
      <label for="find">\(text(.findLoans))</label>
      <input id="find" type="search" autocomplete="off">
      <output for="find" aria-live="polite" data-text="\(shown)"></output>
      </div>
      <div class="wide" tabindex="0" role="group" aria-label="\(language.text(.loanTable).asXML)">
      <table class="loans">
      <caption>\(text(.loanTable))</caption>
      <thead><tr>\(heads.joined())</tr></thead>

      """)
    var shownSections = ReportSections(grouping)
    var rows = 0
    try report.lines.forEachRow { key, row throws(CommandError) in
      if rows == Self.mostRows { return }
      rows += 1
      if shownSections.add(key) {
        let index = shownSections.all.count - 1
        try output.print(heading(of: sections.all[index], index, sections, columns.count))
      }
      try output.print(self.row(row, columns))
    }
    let rest =
      count > rows
      ? text(.moreLoansElsewhere, ["command": "--format csv"], count: count - rows) : ""
    try output.print(
      "</tbody>\n</table>\n</div>\n" + (rest.isEmpty ? "" : "<p>\(rest)</p>\n"))
  }

  private func heading(
    of section: ReportSections.Section, _ index: Int, _ sections: ReportSections, _ columns: Int
  ) -> String {
    let heading = sections.heading(of: section, in: language).escapedAsMarkup
    return """
      \(index == 0 ? "" : "</tbody>\n")<tbody>
      <tr><th id="\(name(of: section, index))" colspan="\(columns)" scope="rowgroup">\(heading) \
      <span>\(section.loans)</span></th></tr>

      """
  }

  /// The row of a loan.
  ///
  /// End tags and quotation marks that HTML does not need would be a fifth of the page.
  private func row(_ row: [Substring], _ columns: [Int]) -> String {
    let urgency = Urgency(rawValue: String(row[1]))
    var html = urgency == .late || urgency == .today ? "<tr class=\(row[1])>" : "<tr>"
    for column in columns {
      var text = String(row[column + Self.fieldsBefore]).escapedAsMarkup
      // At a terminal the heading says it.
      if column == Self.whenColumn && text.isEmpty {
        text = self.text(urgency == .today ? .today : .tomorrow)
      }
      switch column {
      case 0: html += "<td><time datetime=\(row[0])>\(text)</time>"
      case Self.titleColumn:
        let note = row.last.map { String($0).escapedAsMarkup } ?? ""
        html += "<th scope=row>\(text)" + (note.isEmpty ? "" : "<br><small>\(note)</small>")
      default: html += (column == Self.whenColumn ? "<td class=when>" : "<td>") + text
      }
    }
    return html + "\n"
  }
}
