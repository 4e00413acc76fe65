internal import Languages
internal import Loans

/// A notification as notify-send(1) shows it.
struct DesktopMessage: Hashable, Sendable {
  /// One line; the only place for catalogue text in a message about one loan, since it is never
  /// taken for markup.
  var summary: String
  /// The advice; catalogue text in it is escaped.
  var body: String
  /// Critical if a loan in it has expired.
  var urgency: Notice.Urgency

  /// The message about these notices, or `nil` if there is none.
  init?(_ notices: ArraySlice<Notice>, today: CivilDate, in language: Language) {
    guard let first = notices.first else { return nil }
    if notices.count == 1 {
      self.init(first, today: today, in: language)
    } else {
      self.init(digestOf: notices, today: today, in: language)
    }
  }

  private init(_ notice: Notice, today: CivilDate, in language: Language) {
    let loan = notice.loan
    urgency = notice.urgency
    summary = loan.sentence(
      loan.desktopTitle(limit: 200, in: language), for: .message, today: today, in: language)
    let isLate = notice.kind == .expired
    let day = isLate ? loan.expiration : notice.lastDay(today: today)
    var values = ["date": language.longDate(day)]
    values["library"] = notice.place
    let isFinal = loan.mayBeRenewed == false
    let advice = Self.advice(isLate: isLate, isFinal: isFinal, hasPlace: notice.place != nil)
    let status = loan.status.map { language.text($0.sentence(for: .message)) }
    body = [status, language.text(advice, values)].compactMap(\.self).joined(separator: " ")
  }

  private static func advice(isLate: Bool, isFinal: Bool, hasPlace: Bool) -> Message {
    switch (isLate, isFinal, hasPlace) {
    case (false, false, false): .returnOrRenew
    case (false, false, true): .returnOrRenewAt
    case (false, true, false): .returnOnly
    case (false, true, true): .returnOnlyAt
    case (true, false, false): .lateReturnOrRenew
    case (true, false, true): .lateReturnOrRenewAt
    case (true, true, false): .lateReturnOnly
    case (true, true, true): .lateReturnOnlyAt
    }
  }

  private init(digestOf notices: ArraySlice<Notice>, today: CivilDate, in language: Language) {
    let overdue = notices.count { $0.kind == .expired }
    urgency = overdue > 0 ? .critical : .normal
    summary = Self.digestSummary(
      overdue: overdue, soon: notices.count - overdue, in: language)
    let shown = notices.mostUrgentFirst.prefix(5)
    let namesLibraries = Set(notices.map(\.library)).count > 1
    var lines = shown.map { notice in
      let title = notice.loan.desktopTitle(limit: 60, in: language).escapedForBody
      let line = notice.loan.sentence(title, for: .message, today: today, in: language)
      guard namesLibraries, let place = notice.place else { return line }
      return line + language.text(.library, ["library": place])
    }
    let more = notices.count - shown.count
    if more > 0 { lines.append(language.text(.more, count: more)) }
    lines.append(language.text(.runList))
    body = lines.joined(separator: "\n")
  }

  /// `7 books to return: 4 overdue, 3 due soon`; what is zero is left out.
  static func digestSummary(overdue: Int, soon: Int, in language: Language = .english) -> String {
    let parts = [(Message.numberOverdue, overdue), (.numberDueSoon, soon)]
      .filter { $0.1 > 0 }.map { language.text($0.0, count: $0.1) }
    let numbers = parts.dropFirst().reduce(parts.first ?? "") { first, second in
      language.text(.listed, ["first": first, "second": second])
    }
    return language.text(.booksToReturn, ["numbers": numbers], count: overdue + soon)
  }

  /// The arguments of notify-send(1); `--` comes before the summary, which may begin with `-`.
  var arguments: [String] {
    [
      "--app-name=Check Loans",
      "--urgency=\(urgency.rawValue)",
      "--category=x-check-loans.loan.\(urgency == .critical ? "expired" : "due")",
      "--", summary, body,
    ]
  }
}

extension Notice {
  /// The library's name, fit for a body; `nil` if nobody has named it.
  fileprivate var place: String? {
    guard let name = library?.desktopLine(limit: 60), !name.isEmpty else {
      return nil
    }
    return name.escapedForBody
  }
}

extension Loan {
  /// The title as one harmless line, else the barcode or id; never empty, because notify-send
  /// refuses an empty summary.
  fileprivate func desktopTitle(limit: Int, in language: Language) -> String {
    var short = self
    short.title = title?.desktopLine(limit: limit)
    short.barcode = barcode?.desktopLine(limit: limit)
    short.id = id?.desktopLine(limit: limit)
    return short.label(for: .message, in: language)
  }
}

extension ArraySlice<Notice> {
  /// By expiration, which puts the expired first; else in the order given.
  var mostUrgentFirst: [Notice] {
    // The sort is stable.
    sorted { $0.loan.expiration < $1.loan.expiration }
  }
}

extension String {
  /// The text for one line of a notification: line breaks, tabs and spaces become one space,
  /// everything else that could steer or reorder text is removed, and the rest is shortened to this
  /// many characters, with eight Unicode scalars each on average at most.
  func desktopLine(limit: Int) -> String {
    let words = unicodeScalars.split { $0 == " " || $0.separatesWords }
      .map { String($0.filter { !$0.isUnsafeToShow }) }
    return words.filter { !$0.isEmpty }.joined(separator: " ").shortened(to: limit)
  }

  /// The text as the body of a notification: markup taken literally, and every backslash doubled,
  /// because notify-send(1) passes the body through g_strcompress.
  fileprivate var escapedForBody: String {
    // Not by characters: a backslash with a combining mark on it is one to g_strcompress.
    escapedAsMarkup.unicodeScalars.reduce(into: "") { text, scalar in
      text.unicodeScalars.append(contentsOf: scalar == "\\" ? [scalar, scalar] : [scalar])
    }
  }
}

extension Unicode.Scalar {
  /// Tabs and everything that ends a line.
  fileprivate var separatesWords: Bool {
    switch value {
    case 0x09...0x0D, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }
}

extension Notice {
  /// The last day on which the book can be returned: the last open day before the expiration, unless it
  /// has passed.
  fileprivate func lastDay(today: CivilDate) -> CivilDate {
    openDays.map { today <= $0.before ? $0.before : $0.after } ?? loan.expiration
  }
}
