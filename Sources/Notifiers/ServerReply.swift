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

  /// The line.
  private let line: String

  /// The reply in a line; `nil` if there is none.
  init?(in line: some StringProtocol) {
    self.line = String(line)
    let words = self.line.split { $0.isWhitespace || "()#".contains($0) }
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
  /// Of the statuses these are the permanent ones about an address (RFC 3463, section 3.2), but for those
  /// about the sender's (5.1.7 and 5.1.8). A mailbox that is disabled may be opened again (5.2.1). Without
  /// a status, or with one that says no more, the words decide: 550 can be any rule of the server's.
  var refusesRecipient: Bool {
    if status.isEmpty || status == [5, 1, 0] {
      return code.map(Self.codes.contains) ?? false && line.saysThatNobodyIsThere
    }
    return status.prefix(2) == [5, 1] && ![[5, 1, 7], [5, 1, 8]].contains(status)
  }

  /// The codes about a mailbox (RFC 5321, section 4.2.3, and RFC 7504).
  private static let codes: Set = [550, 551, 553, 556]
}

extension String {
  /// Whether the text says that there is no such mailbox.
  var saysThatNobodyIsThere: Bool {
    let words = lowercased()
    // Its own address is the sender's matter.
    return !words.contains("sender")
      && (words.contains(
        #/(no such|unknown|unrouteable|invalid) (user|mailbox|recipient|address|account)/#)
        || words.contains(
          #/(user|mailbox|recipient|address|account)( is)? (unknown|invalid|not found|not exist)/#)
        || words.contains(#/(user|mailbox|recipient|address|account) (does not|doesn't) exist/#))
  }
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
