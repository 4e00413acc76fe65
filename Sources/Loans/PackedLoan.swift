/// How a loan's identity follows from its texts.
package enum LoanIdentity: Hashable, Sendable {
  /// It is `id` and the loan's id.
  case id
  /// It is `barcode` and the loan's barcode.
  case barcode
  /// It is this text.
  case text(String)

  /// The shortest form of an identity in words.
  package init(_ words: String, of loan: Loan) {
    if let id = loan.id, words == "id \(id)" {
      self = .id
    } else if let barcode = loan.barcode, words == "barcode \(barcode)" {
      self = .barcode
    } else {
      self = .text(words)
    }
  }
}

/// What is kept of a loan beside its last day, as bytes in one piece: its texts, its time of day
/// and its identity.
///
/// Nine numbers, each in groups of seven bits, the low ones first, all but the last with the high
/// bit set (LEB128): for each text its length and one more, or 0 for none; for the time of day the
/// second and one more, or 0; for the identity 0 if it is that of the id, 1 if that of the barcode,
/// or two more than its length. The texts follow in the same order, the identity last.
package enum PackedLoan {
  /// The texts in their order.
  private static let parts: InlineArray<7, LoanPart> = [
    .id, .title, .author, .isbn, .barcode, .borrower, .email,
  ]

  /// Appends a loan.
  package static func append(
    _ loan: some LoanParts, _ identity: LoanIdentity, to bytes: inout [UInt8]
  ) {
    var lengths = InlineArray<7, Int?>(repeating: nil)
    for index in parts.indices {
      loan.withPart(parts[index]) { lengths[index] = $0.count }
    }
    append(lengths, loan.lastTime, identity, to: &bytes) { bytes in
      for index in parts.indices {
        loan.withPart(parts[index]) { bytes.append(copying: $0) }
      }
    }
  }

  /// Appends a loan whose texts have these lengths.
  ///
  /// - Parameter appendTexts: appends the texts one after the other.
  @inline(__always)
  package static func append(
    _ lengths: InlineArray<7, Int?>, _ time: CivilTime?, _ identity: LoanIdentity,
    to bytes: inout [UInt8], appendTexts: (inout [UInt8]) -> Void
  ) {
    for index in lengths.indices { bytes.append(packed: lengths[index].map { $0 + 1 } ?? 0) }
    bytes.append(packed: time.map { $0.secondOfDay + 1 } ?? 0)
    switch identity {
    case .id: bytes.append(packed: 0)
    case .barcode: bytes.append(packed: 1)
    case .text(let words): bytes.append(packed: words.utf8.count + 2)
    }
    appendTexts(&bytes)
    if case .text(let words) = identity { bytes.append(contentsOf: words.utf8) }
  }

  /// The loan and its identity.
  ///
  /// - Returns: `nil` if the bytes are not what ``append(_:_:to:)`` appends.
  package static func unpack(
    _ bytes: ArraySlice<UInt8>, expiration: CivilDate
  ) -> (loan: Loan, identity: String)? {
    var rest = bytes
    var numbers = InlineArray<9, Int>(repeating: 0)
    for index in numbers.indices {
      guard let number = rest.takePacked() else { return nil }
      numbers[index] = number
    }
    func text(_ index: Int) -> String? {
      numbers[index] == 0 ? nil : rest.takeText(numbers[index] - 1)
    }
    var lengths = max(0, numbers[8] - 2)
    for index in 0..<7 { lengths += max(0, numbers[index] - 1) }
    guard lengths == rest.count else { return nil }
    let loan = Loan(
      id: text(0), title: text(1), author: text(2), isbn: text(3), barcode: text(4),
      borrower: text(5), email: text(6), expiration: expiration,
      expirationTime: numbers[7] == 0 ? nil : CivilTime(secondOfDay: numbers[7] - 1))
    switch numbers[8] {
    case 0: return (loan, "id \(loan.id ?? "")")
    case 1: return (loan, "barcode \(loan.barcode ?? "")")
    default: return (loan, rest.takeText(numbers[8] - 2))
    }
  }
}

extension [UInt8] {
  /// Appends the bytes of a span.
  package mutating func append(copying span: Span<UInt8>) {
    append(addingCapacity: span.count) { added in
      for index in span.indices { added.append(span[index]) }
    }
  }

  /// Appends a number of 0 or more in groups of seven bits, the low ones first.
  package mutating func append(packed number: Int) {
    var rest = UInt(number)
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}

extension ArraySlice<UInt8> {
  /// Takes a number from the beginning; `nil` if there is none of up to 35 bits.
  package mutating func takePacked() -> Int? {
    var number = 0
    for shift in stride(from: 0, to: 35, by: 7) {
      guard let byte = popFirst() else { return nil }
      number |= Int(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }

  /// Takes so many bytes from the beginning, of which there are enough.
  fileprivate mutating func takeText(_ count: Int) -> String {
    defer { removeFirst(count) }
    return String(decoding: prefix(count), as: UTF8.self)
  }
}
