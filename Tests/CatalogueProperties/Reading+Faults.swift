import LoanCatalogue
import Loans

// What must be true of one reading, one sentence for each property that does not hold.
extension Reading {
  /// - Parameter size: of the document, in bytes.
  func faults(inDocumentOf size: Int) -> [String] {
    diagnostics.flatMap { Self.faults(of: $0, inDocumentOf: size) }
      + orderFaults + countFaults + records.flatMap(Self.faults)
  }

  /// A document has no more lines than bytes, nor its lines more than four times as many
  /// characters, in whatever encoding.
  private static func faults(of diagnostic: Diagnostic, inDocumentOf size: Int) -> [String] {
    var faults: [String] = []
    let place = diagnostic.location
    if !(1...size + 1).contains(place.line) || !(1...size * 4 + 1).contains(place.column) {
      faults.append("outside the document: \(diagnostic)")
    }
    if let end = diagnostic.endColumn, end <= place.column {
      faults.append("ends before it begins: \(diagnostic)")
    }
    if diagnostic.message.isEmpty
      || diagnostic.message.unicodeScalars.contains(where: \.isUnsafeToShow)
    {
      faults.append("a message that cannot be shown: \(diagnostic)")
    }
    return faults
  }

  private var orderFaults: [String] {
    // These are only known at the document's end.
    let late: Set<Diagnostic.Code> = [
      .errorAnswer, .unknownBorrower, .incompleteAnswer, .noExpirations, .noLoans, .shiftedDays,
    ]
    let places = diagnostics.filter { !late.contains($0.code) }.map(\.location)
    let isOrdered = places == places.sorted()
    let isEnding = diagnostics.map { $0.code.endsReading }
    let numbers = Set(diagnostics.map(\.fingerprint))
    return (isOrdered ? [] : ["not in the order of their places: \(diagnostics)"])
      + (isEnding.dropLast().contains(true) ? ["something after the end: \(diagnostics)"] : [])
      + (summary.isComplete == (isEnding.last != true)
        ? [] : ["complete or not? \(summary), \(diagnostics)"])
      + (numbers.count == diagnostics.count ? [] : ["alike in fingerprint: \(diagnostics)"])
  }

  private var countFaults: [String] {
    let counted = [
      summary.errors, summary.warnings, summary.records,
      summary.onShelf + summary.withoutExpiration, summary.loans,
    ]
    let handedOver = [
      diagnostics.count { $0.severity == .error }, diagnostics.count { $0.severity == .warning },
      records.count, records.count { $0.expiration == .none }, records.count { $0.loan != nil },
    ]
    return counted == handedOver ? [] : ["counted \(counted), handed over \(handedOver)"]
  }

  private static func faults(of record: Record) -> [String] {
    if !record.arePartsRight { return ["its texts as bytes are others: \(record)"] }
    guard let loan = record.loan else { return [] }
    let texts = [
      loan.id, loan.title, loan.author, loan.isbn, loan.barcode, loan.borrower, loan.email,
    ]
    return texts.compactMap { $0 }.filter { $0.isEmpty || $0.hasWhiteSpaceAround }
      .map { "a text is empty, or not trimmed: \"\($0)\"" }
  }

  /// What libxml2 takes is refused only by design: where it needs another file, is in an
  /// encoding that hides markup, or goes beyond limits of our own.
  func faults(comparedToLibXML2 isWellFormed: Bool) -> [String] {
    if summary.isComplete {
      return isWellFormed ? [] : ["complete, although libxml2 refuses it"]
    }
    guard isWellFormed, let last = diagnostics.last, last.code == .malformedXML,
      !last.message.contains("different names")
    else { return [] }
    return ["libxml2 takes what is refused here: \(last)"]
  }

  /// Every problem stands in the text, and its value where the diagnostic says.
  func misplacements(in text: PlainText) -> [String] {
    diagnostics.compactMap { diagnostic in
      guard text.contains(diagnostic.location) else { return "outside the text: \(diagnostic)" }
      guard let value = diagnostic.value, let end = diagnostic.endColumn,
        let found = text.verbatim(from: diagnostic.location, to: end), found != value
      else { return nil }
      return "\"\(found)\" stands at the place of \(diagnostic)"
    }
  }
}

extension String {
  /// XML white space (XML 1.0, production S).
  fileprivate var hasWhiteSpaceAround: Bool {
    let spaces: Set<Unicode.Scalar> = [" ", "\t", "\n", "\r"]
    return [unicodeScalars.first, unicodeScalars.last].contains { $0.map(spaces.contains) == true }
  }
}
