public import Loans

/// A message as it is handed to the program that sends it, RFC 5322 and MIME.
///
/// The same message always has the same bytes:
///
///     Date: Sat, 21 Nov 2026 07:00:00 +0100
///     From: =?UTF-8?Q?V=C3=A1rosi_K=C3=B6nyvt=C3=A1r?= <desk@example.org>
///     To: Kate <kate@example.org>
///     Subject: 2 books to return, the first due 2026.11.14
///     Message-ID: <6c1e…@example.org>
///     Auto-Submitted: auto-generated
///     …
public struct MailMessage: Hashable, Sendable {
  /// The sender.
  public var from: Mailbox
  /// Where replies go, if not to the sender.
  public var replyTo: Mailbox?
  /// The recipient.
  public var to: Mailbox
  /// The subject, any text.
  public var subject: String
  /// The library's civil time.
  public var date: CivilDateTime
  /// The seconds by which that is ahead of UTC, if they are known.
  public var utcOffset: Int?
  /// The identifier, without angle brackets.
  public var id: MessageID
  /// Links with which the recipient can say that there should be no more messages, what is best first.
  public var unsubscribe: [String] = []
  /// The tag of the language, BCP 47.
  public var language: String
  /// The body as plain text.
  public var text: String
  /// The body as HTML, if there is one.
  public var html: String?

  /// A message with the most necessary parts.
  public init(
    from: Mailbox, to: Mailbox, subject: String, date: CivilDateTime, id: MessageID,
    language: String, text: String
  ) {
    self.from = from
    self.to = to
    self.subject = subject
    self.date = date
    self.id = id
    self.language = language
    self.text = text
  }

  /// The mark between the parts of a body, in which a digit or a line break comes after each `=`.
  private static let boundary = "=_check-loans"

  /// The message in UTF-8, whose lines end with a line feed, as sendmail(1) and a Maildir have them.
  public var bytes: [UInt8] { Array(contents.utf8) }

  /// The message in the form mboxrd, to which others can be appended.
  public var mboxrd: String {
    let (year, _, day) = date.date.parts
    let stamp = "\(date.weekday) \(date.month) \(day < 10 ? " " : "")\(day) \(date.clock) \(year)"
    let lines = contents.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.drop { $0 == ">" }.hasPrefix("From ") ? ">\(line)" : line
    }
    // The sender's address would need quoting there; readers take it from the header.
    return "From check-loans \(stamp)\n\(lines.joined(separator: "\n"))\n"
  }

  private var contents: String {
    guard let html else { return header + Self.part("plain", text) }
    let start = "\n--\(Self.boundary)"
    return """
      \(header)Content-Type: multipart/alternative; boundary="\(Self.boundary)"
      \(start)
      \(Self.part("plain", text))\(start)
      \(Self.part("html", html))\(start)--

      """
  }

  private static func part(_ kind: String, _ text: String) -> String {
    """
    Content-Type: text/\(kind); charset=utf-8
    Content-Transfer-Encoding: quoted-printable

    \(QuotedPrintable.encode(text))
    """
  }

  private var header: String {
    // RFC 2369, section 2, and RFC 8058, section 3.1.
    let links = unsubscribe.map { "<\($0)>" }.joined(separator: ", ")
    let hasPage = unsubscribe.contains { $0.lowercased().hasPrefix("https:") }
    let fields: [HeaderField?] = [
      HeaderField("Date", words: stamp),
      HeaderField("From", from),
      replyTo.map { HeaderField("Reply-To", $0) },
      HeaderField("To", to),
      HeaderField("Subject", text: subject),
      HeaderField("Message-ID", unfolded: "<\(id)>"),
      HeaderField("Auto-Submitted", words: "auto-generated"),
      // Exchange goes by this one.
      HeaderField("X-Auto-Response-Suppress", words: "DR, RN, NRN, OOF, AutoReply"),
      links.isEmpty ? nil : HeaderField("List-Unsubscribe", words: links),
      hasPage ? HeaderField("List-Unsubscribe-Post", words: "List-Unsubscribe=One-Click") : nil,
      HeaderField("Content-Language", words: language),
      HeaderField("MIME-Version", words: "1.0"),
    ]
    return fields.compactMap { $0?.lines }.joined()
  }

  /// `Sat, 21 Nov 2026 07:00:00 +0100`.
  private var stamp: String {
    let (year, _, day) = date.date.parts
    let minutes = (utcOffset ?? 0) / 60
    let zone = (abs(minutes) / 60 * 100 + abs(minutes) % 60).digits(4)
    // RFC 5322, section 3.3: with -0000 nobody knows the zone.
    let sign = utcOffset == nil || minutes < 0 ? "-" : "+"
    return "\(date.weekday), \(day) \(date.month) \(year.digits(4)) \(date.clock) \(sign)\(zone)"
  }
}

/// The identifier of a message, the same whenever the same is told to the same address on a day.
public struct MessageID: Hashable, Sendable, CustomStringConvertible {
  /// `HASH.YYYYMMDD@DOMAIN`.
  public let description: String

  /// An identifier for a message about these loans to an address.
  public init(
    about notices: some Sequence<Notice>, to address: String, on day: CivilDate, domain: String
  ) {
    let parts = notices.map { notice in
      let loan = notice.loan
      let texts = [
        notice.catalogue, loan.id, loan.barcode, loan.isbn, loan.title, loan.author,
        loan.borrower, "\(loan.expiration)", "\(notice.rung)",
      ]
      return texts.map { ($0 ?? "").replacing("\0", with: "") }.joined(separator: "\0")
    }
    let digest = SHA256.hexadecimal("\(address)\n\(parts.sorted().joined(separator: "\n"))".utf8)
    let stamp = day.description.replacing("-", with: "")
    description = "\(digest.prefix(32)).\(stamp)@\(domain)"
  }
}

extension CivilDateTime {
  /// `07:00:00`.
  fileprivate var clock: String { String(description.suffix(8)) }

  /// `Sat`.
  fileprivate var weekday: Substring { date.weekday.name.prefix(3) }

  /// `Nov`.
  fileprivate var month: Substring {
    "JanFebMarAprMayJunJulAugSepOctNovDec".dropFirst((date.parts.month - 1) * 3).prefix(3)
  }
}
