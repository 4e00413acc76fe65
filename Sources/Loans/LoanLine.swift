/// A text of a loan.
package enum LoanPart: Sendable {
  case id, title, author, isbn, barcode, borrower, email
}

/// A loan as it is stored and as its line shows it, wherever its texts are.
package protocol LoanParts {
  /// The last day the book may be kept.
  var lastDay: CivilDate { get }
  /// The time of that day at which the loan ends, if it is known.
  var lastTime: CivilTime? { get }

  /// Calls `body` with a part as UTF-8, if there is one.
  func withPart(_ part: LoanPart, _ body: (Span<UInt8>) -> Void)
}

extension LoanParts {
  /// Appends the loan's one line in a report or notice, without a line break; see
  /// ``Notice/line(today:)``.
  package func appendLine(today: CivilDate, library: String? = nil, to line: inout [UInt8]) {
    appendLabel(to: &line)
    line.append(UInt8(ascii: " "))
    line.appendDueDescription(daysLeft: today.days(until: lastDay))
    line.append(contentsOf: " (".utf8)
    line.append(lastDay, separator: UInt8(ascii: "."))
    if let lastTime { line.append(contentsOf: " \(lastTime.hoursAndMinutes)".utf8) }
    line.append(UInt8(ascii: ")"))
    withPart(.author) { author in
      line.append(contentsOf: ", by ".utf8)
      line.append(visible: author)
    }
    withPart(.borrower) { borrower in
      line.append(contentsOf: ", lent to ".utf8)
      line.append(visible: borrower)
    }
    if let library {
      line.append(contentsOf: ", at ".utf8)
      line.append(visible: library.utf8.span)
    }
  }

  /// Appends the loan's name in a message; see ``Loan/label``.
  func appendLabel(to line: inout [UInt8]) {
    let start = line.count
    withPart(.title) { title in
      guard !title.isEmpty else { return }
      line.append(UInt8(ascii: "\""))
      line.append(visible: title)
      line.append(UInt8(ascii: "\""))
    }
    if line.count > start { return }
    line.append(contentsOf: "(untitled".utf8)
    let end = line.count
    withPart(.id) { id in
      line.append(contentsOf: ", id ".utf8)
      line.append(visible: id)
    }
    if line.count == end {
      withPart(.barcode) { barcode in
        line.append(contentsOf: ", barcode ".utf8)
        line.append(visible: barcode)
      }
    }
    line.append(UInt8(ascii: ")"))
  }
}

extension Loan: LoanParts {
  package var lastDay: CivilDate { expiration }
  package var lastTime: CivilTime? { expirationTime }

  package func withPart(_ part: LoanPart, _ body: (Span<UInt8>) -> Void) {
    let text =
      switch part {
      case .id: id
      case .title: title
      case .author: author
      case .isbn: isbn
      case .barcode: barcode
      case .borrower: borrower
      case .email: email
      }
    if let text { body(text.utf8.span) }
  }
}

extension [UInt8] {
  /// Appends `expires tomorrow`, `expired 7 days ago`; see ``Loan/dueDescription(today:)``.
  mutating func appendDueDescription(daysLeft: Int) {
    switch daysLeft {
    case 0: append(contentsOf: "expires today".utf8)
    case 1: append(contentsOf: "expires tomorrow".utf8)
    case -1: append(contentsOf: "expired yesterday".utf8)
    case let days where days > 1:
      append(contentsOf: "expires in ".utf8)
      appendDigits(of: days, width: 1)
      append(contentsOf: " days".utf8)
    case let days:
      append(contentsOf: "expired ".utf8)
      appendDigits(of: -days, width: 1)
      append(contentsOf: " days ago".utf8)
    }
  }

  /// Appends a text as it may be shown; see ``Swift/String/visible``.
  fileprivate mutating func append(visible text: Span<UInt8>) {
    var isPlain = true
    append(addingCapacity: text.count) { added in
      for index in text.indices {
        if text[index].mayNotBeShown { isPlain = false }
        added.append(text[index])
      }
    }
    if isPlain { return }
    removeLast(text.count)
    append(contentsOf: String(decoding: [UInt8](copying: text), as: UTF8.self).visible.utf8)
  }
}

extension UInt8 {
  fileprivate var mayNotBeShown: Bool { mayBeginUnsafeCharacter || self == UInt8(ascii: "#") }
}
