import CommandOutput
import Languages
import LoanRules
import Loans

/// The expirations of each day around today, as bars and as a calendar of weeks.
struct ExpirationChart {
  let days: ExpirationDays
  /// The closed days of each library.
  let closed: [ClosedDays]
  let language: Language

  private static let (top, height) = (18, 96)
  private static let bottom = top + height

  var html: String {
    """
    <section class="days">
    <h2>\(text(.chartTitle))</h2>
    <svg role="img" aria-labelledby="chart" width="100%" height="\(Self.bottom + 34)">
    <title id="chart">\(text(.chartTitle))</title>
    <pattern id="shut" width="6" height="6" patternUnits="userSpaceOnUse" \
    patternTransform="rotate(45)"><path class="hatch" d="M0 0V6"/></pattern>
    \(days.all.map(bar).joined())\
    <line class="axis" x2="100%" y1="\(Self.bottom)" y2="\(Self.bottom)"/>
    </svg>
    <details open>
    <summary>\(text(.calendarTitle))</summary>
    <div class="wide" tabindex="0" role="group" aria-label="\(language.text(.calendarTitle).asXML)">
    <table class="weeks">
    <caption>\(text(.calendarCaption))</caption>
    <thead><tr><th scope="col">\(text(.weekColumn))</th>\
    \(Message.weekdays.map { "<th scope=\"col\">\(text($0))</th>" }.joined())</tr></thead>
    <tbody>
    \(weeks)</tbody>
    </table>
    </div>
    </details>
    </section>

    """
  }

  private func text(_ message: Message) -> String { language.text(message).escapedAsMarkup }

  private func shortDate(_ day: CivilDate) -> String {
    var text: [UInt8] = []
    language.append(day, .shortDate, to: &text)
    return String(decoding: text, as: UTF8.self).escapedAsMarkup
  }

  /// Whether every library is closed on a day.
  private func isClosed(_ day: CivilDate) -> Bool {
    !closed.isEmpty && closed.allSatisfy { $0.isClosed(day) }
  }

  private var most: Int { max(1, days.counts.max() ?? 1) }
}

// MARK: - Bars

extension ExpirationChart {
  /// A day's bar on its ground, with its number; positions across are in hundredths of the width.
  private func bar(_ day: CivilDate, _ distance: Int, _ count: Int) -> String {
    let left = 2 * (distance - ExpirationDays.range.lowerBound)
    let ground = isClosed(day) ? "fill=\"url(#shut)\"" : "class=\"open\""
    let kind = distance < 0 ? "bar late" : distance == 0 ? "bar here" : "bar"
    let size = count == 0 ? 0 : max(2, count * Self.height / most)
    var parts = "<title>\(language.date(day).escapedAsMarkup): \(count)</title>"
    parts += """
      <rect \(ground) x="\(left)%" y="\(Self.top)" width="2%" height="\(Self.height)"/>
      """
    if count > 0 {
      parts += """
        <rect class="\(kind)" x="\(left).2%" y="\(Self.bottom - size)" width="1.6%" \
        height="\(size)"/>
        """
    }
    // Longer ones would touch.
    if count > 0 && (count < 1_000 || count == most) {
      parts += label("number", left, Self.bottom - size - 4, "\(count)")
    }
    if day.weekday == .monday { parts += label("week", left, Self.bottom + 14, shortDate(day)) }
    if distance == 0 { parts += label("here", left, Self.bottom + 29, text(.today)) }
    return "<g>\(parts)</g>\n"
  }

  private func label(_ kind: String, _ left: Int, _ y: Int, _ text: String) -> String {
    "<text class=\"\(kind)\" x=\"\(left + 1)%\" y=\"\(y)\">\(text)</text>"
  }
}

// MARK: - Weeks

extension ExpirationChart {
  /// A row for each week, from Monday to Sunday.
  private var weeks: String {
    let all = days.all
    guard let first = all.first?.day else { return "" }
    var rows = ""
    // Monday comes first, and may be before the days that are counted.
    var column = 0
    func begin(_ day: CivilDate) {
      let monday = CivilDate(dayNumber: day.dayNumber - day.weekday.rawValue) ?? day
      rows += "<tr><th scope=\"row\">\(shortDate(monday))</th>"
      column = 0
    }
    begin(first)
    rows += String(repeating: "<td></td>", count: first.weekday.rawValue)
    for (day, distance, count) in all {
      if day.weekday == .monday && day != first {
        rows += "</tr>\n"
        begin(day)
      }
      rows += cell(day, distance, count)
      column = day.weekday.rawValue + 1
    }
    return rows + String(repeating: "<td></td>", count: 7 - column) + "</tr>\n"
  }

  private func cell(_ day: CivilDate, _ distance: Int, _ count: Int) -> String {
    let shades = ["few", "some", "many", "most"]
    var kinds = count > 0 ? [shades[min(3, (count - 1) * 4 / most)]] : []
    if isClosed(day) { kinds.append("shut") }
    var attributes = kinds.isEmpty ? "" : " class=\"\(kinds.joined(separator: " "))\""
    if distance == 0 { attributes += " aria-current=\"date\"" }
    let number = count > 0 ? "<b>\(count)</b>" : ""
    let note = isClosed(day) ? "<small>\(text(.closedDay))</small>" : ""
    return """
      <td\(attributes)><time datetime="\(day)">\(day.parts.day)</time>\(number)\(note)</td>
      """
  }
}
