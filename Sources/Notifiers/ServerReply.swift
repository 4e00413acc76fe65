/// The answer of a mail server, as a mail program repeats it.
///
/// A reply (RFC 5321, section 4.2), such as `550 5.1.1 no such user`, begins with a code, after which there
/// may be a status (RFC 3463). Both are looked for in a line that the program prints:
///
///     msmtp: server message: 554 5.7.1 <anna@example.org>: Relay access denied
///
/// The code there is 554 and the status 5.7.1, a matter of policy: the server would refuse everybody's
/// message, and nothing is wrong with the address.
struct ServerReply {
  /// The code, 400 to 559; `nil` if there is only a status.
  private let code: Int?
  /// The class, the subject and the detail of the status; empty if there is only a code.
  private let status: [Int]

  /// The reply in a line; `nil` if there is none.
  init?(in line: some StringProtocol) {
    let words = String(line).split { $0.isWhitespace || "()#".contains($0) }
      .flatMap { word -> [Substring] in
        // A line of several begins with the code and a hyphen.
        word.dropFirst(3).first == "-" ? [word.prefix(3), word.dropFirst(4)] : [word]
      }
    code = words.lazy.compactMap(\.replyCode).first
    status = words.lazy.compactMap(\.status).first ?? []
    if code == nil && status.isEmpty { return nil }
  }

  /// Whether it refuses the recipient's address for good.
  ///
  /// Of the statuses these are the permanent ones about an address or a mailbox (RFC 3463, sections 3.2
  /// and 3.3), but for those about the sender's address (5.1.7 and 5.1.8), a full mailbox (5.2.2) and
  /// a long message (5.2.3). Without a status, a code says less: 521 and 554 are a server that takes no
  /// mail, or not from here (RFC 7504), 530 and 535 want a password (RFC 4954, section 6), and 552 is
  /// about room (RFC 5321, section 4.2.3).
  var refusesRecipient: Bool {
    if status.isEmpty { return code.map { $0 >= 500 && !Self.otherReasons.contains($0) } ?? false }
    return [[5, 1], [5, 2]].contains(Array(status.prefix(2)))
      && ![[5, 1, 7], [5, 1, 8], [5, 2, 2], [5, 2, 3]].contains(status)
  }

  private static let otherReasons: Set = [521, 530, 535, 552, 554]
}

extension StringProtocol {
  /// The code of a reply that refuses something, by the grammar of RFC 5321, section 4.2.
  fileprivate var replyCode: Int? {
    guard utf8.count == 3, let code = Int(self) else { return nil }
    return (400..<560).contains(code) && code % 100 < 60 ? code : nil
  }

  /// The numbers of a status, `5.1.1`, perhaps before a full stop or the like.
  fileprivate var status: [Int]? {
    let parts = split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.utf8.count <= 3 ? Int($0) : nil }
    return numbers.count == 3 && parts.count == 3 && [4, 5].contains(numbers[0]) ? numbers : nil
  }

  /// Whether an address is in the text, in upper or lower case, and not as a part of another.
  func mentions(_ address: String) -> Bool {
    let text = lowercased()
    return text.ranges(of: address.lowercased()).contains { range in
      let before = text[..<range.lowerBound].unicodeScalars.last
      // A full stop may be that of a sentence.
      let after = text[range.upperBound...].unicodeScalars.drop { $0 == "." }.first
      let isContinued =
        [before, after].contains { $0?.properties.isAlphabetic == true }
        || [before, after].contains { $0?.properties.numericType != nil }
      return !isContinued && !(before.map("!#$%&*+-./?^_{|}~".unicodeScalars.contains) ?? false)
        && after != "-"
    }
  }
}
