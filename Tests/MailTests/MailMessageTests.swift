import Languages
import Loans
import Mail
import TestSupport
import Testing

@Suite struct MailMessageTests {
  @Test func `A header has these fields in this order`() throws {
    var message = try sampleMessage()
    message.replyTo = try Mailbox("answers@example.org")
    message.unsubscribe = ["mailto:stop@example.org", "https://example.org/stop?98ce2d"]
    #expect(
      message.header == [
        "Date: Sat, 21 Nov 2026 07:00:00 +0100",
        "From: =?UTF-8?Q?V=C3=A1rosi_K=C3=B6nyvt=C3=A1r?= <desk@example.org>",
        "Reply-To: answers@example.org",
        "To: Kate <kate@example.org>",
        "Subject: 2 books",
        "Message-ID: <\(message.id)>",
        "Auto-Submitted: auto-generated",
        "X-Auto-Response-Suppress: DR, RN, NRN, OOF, AutoReply",
        "List-Unsubscribe: <mailto:stop@example.org>, <https://example.org/stop?98ce2d>",
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        "Content-Language: en",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: quoted-printable",
      ])
  }

  @Test func `Only a page can be told by a program to stop the messages`() throws {
    var message = try sampleMessage()
    message.unsubscribe = ["mailto:stop@example.org?subject=kate%40example.org"]
    let fields = message.header.filter { $0.hasPrefix("List-") || $0.hasPrefix(" ") }
    #expect(
      fields == [
        "List-Unsubscribe: <mailto:stop@example.org?subject=kate%40example.org>"
      ])
  }

  @Test func `An identifier is in the line of its name, however long the domain is`() throws {
    var message = try sampleMessage()
    let domain = "catalogue.of.the.library.example.org"
    message.id = MessageID(
      about: [], to: "kate@example.org", on: try sampleDay(21), domain: domain)
    #expect(message.header.contains("Message-ID: <\(message.id)>"))
    #expect("Message-ID: <\(message.id)>".utf8.count > 78)
  }

  @Test(arguments: [
    (3_600, "+0100"), (-12_600, "-0330"), (0, "+0000"), (20_700, "+0545"), (nil as Int?, "-0000"),
  ])
  func `The date has the zone of the library as a number`(offset: Int?, zone: String) throws {
    var message = try sampleMessage()
    message.utcOffset = offset
    #expect(message.header.first == "Date: Sat, 21 Nov 2026 07:00:00 \(zone)")
  }

  @Test(arguments: [
    ("Kate", "Kate <kate@example.org>"), ("Kate B. Jones", "\"Kate B. Jones\" <kate@example.org>"),
    ("Jones, \"K\" \\", #""Jones, \"K\" \\" <kate@example.org>"#),
    ("=?x?= y", "=?UTF-8?Q?=3D=3Fx=3F=3D_y?= <kate@example.org>"),
    ("a  b", "=?UTF-8?Q?a__b?= <kate@example.org>"),
    ("Kate@evil.org", "\"Kate@evil.org\" <kate@example.org>"),
    ("<x@evil.org>", "\"<x@evil.org>\" <kate@example.org>"),
  ])
  func `A name is quoted or encoded where it could be taken for something else`(
    name: String, field: String
  ) throws {
    var message = try sampleMessage()
    message.to.name = name
    #expect(message.header.contains("To: \(field)"))
  }

  @Test func `A subject is cut between characters, into lines of 76 at most`() throws {
    let message = try sampleMessage(subject: String(repeating: "🦉é", count: 20))
    let lines = message.header.drop { !$0.hasPrefix("Subject") }
      .prefix { $0.hasPrefix("Subject") || $0.hasPrefix(" ") }
    #expect(lines.count == 7)
    for line in lines {
      #expect(line.utf8.count <= 76)
      let word = try #require(line.split(separator: " ").last)
      #expect(word.hasPrefix("=?UTF-8?Q?") && word.hasSuffix("?=") && word.utf8.count <= 75)
    }
  }

  @Test(arguments: [
    "\r\nBcc: evil@example.org", "\nBcc: evil@example.org", "\r\n\r\nbody", "\0", "\u{202E}",
  ])
  func `No value makes another field or ends the header`(text: String) throws {
    let plain = try sampleMessage()
    var message = plain
    message.subject += text
    message.to.name = "Kate\(text)"
    message.from.name = "Desk\(text)"
    message.replyTo = plain.from
    message.replyTo?.name = text
    message.language = "en\(text)"
    let names = message.header.filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
    #expect(
      names == [
        "Date", "From", "Reply-To", "To", "Subject", "Message-ID", "Auto-Submitted",
        "X-Auto-Response-Suppress", "Content-Language", "MIME-Version", "Content-Type",
        "Content-Transfer-Encoding",
      ])
    #expect(message.bytes.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
  }

  @Test func `A message in a mailbox file is kept apart from the next`() throws {
    let message = try sampleMessage(text: ">From me\nFrom you\n.\n")
    let lines = message.mboxrd.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "From check-loans Sat Nov 21 07:00:00 2026")
    #expect(lines.suffix(5) == [">>From me", "=46rom you", "=2E", "", ""])
  }

  @Test func `An identifier is the same for the same notices on the same day`() throws {
    func id(
      _ notices: [Notice], _ address: String = "a@example.org", on day: Int = 21
    ) throws -> String {
      MessageID(
        about: notices, to: address, on: try sampleDay(day), domain: "example.org"
      ).description
    }
    let loan = Loan(id: "1", title: "Abigél", expiration: try sampleDay(22))
    let notice = Notice(rung: -1, loan: loan, catalogue: "books.xml")
    var renewed = notice
    renewed.loan.expiration = try sampleDay(23)
    let other = Notice(rung: 1, loan: loan, catalogue: "books.xml")
    #expect(try id([notice, other]) == id([other, notice]))
    #expect(try id([notice]).hasSuffix(".20261121@example.org"))
    let ids = try [
      id([notice]), id([other]), id([renewed]), id([notice, other]),
      id([notice], "b@example.org"), id([notice], on: 22), id([]),
      id([Notice(rung: -1, loan: loan, catalogue: "other.xml")]),
    ]
    #expect(Set(ids).count == ids.count)
  }
}

@Suite struct UnsubscribeLinkTests {
  @Test(arguments: [
    ("http://example.org", "does not begin with https:// or mailto:"),
    ("https://example.org/a b", "contains \" \", which has to be percent-encoded"),
    ("https://example.org/>", "contains \">\", which has to be percent-encoded"),
    ("https://example.org/\r\nBcc:x", "contains \"\\u{d}\", which has to be percent-encoded"),
    ("https://példa.hu", "contains \"é\", which has to be percent-encoded"),
    (
      "https://\(String(repeating: "x", count: 987))",
      "is longer than 994 bytes with the longest address in it"
    ),
    (
      "https://example.org/{email}\(String(repeating: "x", count: 213))",
      "is longer than 994 bytes with the longest address in it"
    ),
    ("https://example.org/{tokn}", "contains \"{tokn}\"; known are {email} and {token}"),
    ("https://example.org/{Token}", "contains \"{Token}\"; known are {email} and {token}"),
    ("https://example.org/{}", "contains \"{}\"; known are {email} and {token}"),
    ("https://example.org/{token", "contains \"{\", which has to be percent-encoded"),
    ("https://example.org/{to{token}ken}", "contains \"{\", which has to be percent-encoded"),
    ("https://example.org/}", "contains \"}\", which has to be percent-encoded"),
    ("https://", "has no host after https://"), ("HTTPS:///x", "has no host after https://"),
    ("https://?{token}", "has no host after https://"),
    ("https://:80/", "has no host after https://"),
    ("mailto:", "has no address after mailto:"),
    ("mailto:?subject=stop", "has no address after mailto:"),
    ("mailto:stop", "has no address after mailto:"),
    ("mailto:a@example.org,", "has no address after mailto:"),
    ("mailto:{email}", "has no address after mailto:"),
  ])
  func `What is no link is refused with the reason`(text: String, words: String) throws {
    let fault = try #require(throws: LinkFault.self) { try UnsubscribeLink(text) }
    #expect(fault.description == words)
  }

  @Test(arguments: [
    "https://example.org", "https://[2001:db8::1]:8443/x", "https://{token}.example.org/stop",
    "https://example.org/?a={email}&b={token}#{token}", "mailto:stop+{token}@example.org?subject=x",
    "mailto:a@example.org,b@example.org", "MAILTO:a%2Bb@example.org",
  ])
  func `A link may have its placeholders anywhere`(text: String) {
    #expect(throws: Never.self) { try UnsubscribeLink(text) }
  }

  @Test func `The longest link is in a line that a header may have`() throws {
    let template = "https://example.org/\(String(repeating: "x", count: 974))"
    var message = try sampleMessage()
    let link = try UnsubscribeLink(template).link(for: message.to.address, key: [])
    message.unsubscribe = [link, "mailto:stop@example.org"]
    #expect(message.header.map(\.utf8.count).max() == 998)
  }

  @Test func `A token belongs to the address in lower case, and to a key`() async throws {
    let link = try UnsubscribeLink("https://example.org/{token}")
    let address = try EmailAddress("Kate@Example.org")
    let script = """
      import hmac
      print(hmac.digest(b"k" * 32, b"kate@example.org", "sha256").hex()[:32], end="")
      """
    let token = try await run(python, "-c", script, in: ScratchFolder()).text
    let key = [UInt8](repeating: UInt8(ascii: "k"), count: 32)
    #expect(link.link(for: address, key: key) == "https://example.org/\(token)")
    #expect(link.link(for: address, key: key.reversed() + [0x01]) != "https://example.org/\(token)")
    #expect(token.utf8.count == 32)
  }

  @Test func `An address is percent-encoded`() throws {
    let link = try UnsubscribeLink("https://example.org/?who={email}")
    #expect(
      link.link(for: try EmailAddress("a+%&b@example.org"), key: [])
        == "https://example.org/?who=a%2B%25%26b%40example.org")
  }
}
