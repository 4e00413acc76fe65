package import Loans

/// The person for whom the notices of a loan are, by which the ledger knows whom it told.
///
/// That is the e-mail address without regard to case if it can be one, or else the borrower's name
/// without regard to case, several spaces being one, or else nobody known. So a notice is sent again to a corrected
/// name or address, and to the next reader of a copy, whoever got it before.
package enum Person {
  /// The number for a loan that names nobody.
  static let nobody: Int64 = 0

  /// A 64-bit hash of the person to whom a book is lent, the same in every run.
  package static func number(of loan: some LoanParts) -> Int64 {
    var number = nobody
    loan.withText(of: .email) { text in
      if EmailAddress.fault(of: text) == nil { number = hash(of: text, isAddress: true) }
    }
    if number != nobody { return number }
    loan.withText(of: .borrower) { number = hash(of: $0, isAddress: false) }
    return number
  }

  /// The number of the person at an e-mail address.
  static func number(of address: String) -> Int64 { hash(of: address.utf8.span, isAddress: true) }

  /// The number of the person with this e-mail address, or else with this name.
  static func number(ofBorrower text: String) -> Int64 {
    hash(of: text.utf8.span, isAddress: EmailAddress.fault(of: text.utf8.span) == nil)
  }

  /// FNV-1a of the characters of a text in lower case; in a name, several spaces are one.
  private static func hash(of text: Span<UInt8>, isAddress: Bool) -> Int64 {
    let start: UInt64 = isAddress ? 0xCBF2_9CE4_8422_2325 : 0x6C62_272E_07BB_0142
    var hash = start
    var index = 0
    while index < text.count {
      let byte = text[index]
      index += 1
      var character = UInt32(byte)
      if byte >= 0xC0 {
        character = lowerCase(byte, text, &index)
      } else if byte == 0x20 {
        // The last of several counts, and none at an end.
        let isLast = index < text.count && text[index] != 0x20
        if !isAddress, hash == start || !isLast { continue }
      } else if byte >= 0x41, byte <= 0x5A {
        character |= 0x20
      }
      hash = (hash ^ UInt64(character)) &* 0x100_0000_01B3
    }
    return Int64(bitPattern: hash)
  }

  /// A character beyond ASCII in lower case, where that is one character.
  ///
  /// To ask Unicode's tables for each letter of each name would take as long as to store the loan.
  ///
  /// - Parameters:
  ///   - byte: its first byte.
  ///   - index: the place after that; in the end, the place after what was taken of it.
  private static func lowerCase(
    _ byte: UInt8, _ text: Span<UInt8>, _ index: inout Int
  ) -> UInt32 {
    var character = UInt32(byte)
    // UTF-8 of two bytes, and of three for what is below U+2000.
    if byte < 0xE0, index < text.count {
      character = UInt32(byte & 0x1F) << 6 | UInt32(text[index] & 0x3F)
      index += 1
    } else if byte == 0xE1, index + 1 < text.count {
      character = 0x1000 | UInt32(text[index] & 0x3F) << 6 | UInt32(text[index + 1] & 0x3F)
      index += 2
    }
    return switch character {
    case 0..<0x600: lowerCases[Int(character)]
    case 0x1E00..<0x2000: lowerCases[Int(character - 0x1E00 + 0x600)]
    default: character
    }
  }

  /// The lower case of the characters below U+0600, and of those from U+1E00 to U+1FFF: of the
  /// alphabets that have one, but for those of a few languages.
  private static let lowerCases: [UInt32] = {
    let numbers = [0..<0x600, 0x1E00..<0x2000].joined().map { UInt32($0) }
    return numbers.map { number in
      let lower = Unicode.Scalar(number)?.properties.lowercaseMapping.unicodeScalars
      return lower?.count == 1 ? lower?.first?.value ?? number : number
    }
  }()
}
