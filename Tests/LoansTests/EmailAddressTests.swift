import Loans
import Testing

@Suite struct EmailAddressTests {
  @Test(arguments: [
    "eszter@example.org", "desk@localhost", "\"odd name\"@example.org",
    "\"a@b\"@example.org", #""a\"b"@example.org"#, "root@[192.0.2.1]", "root@[IPv6:2001:db8::1]",
    "e-ster@example.org", "a=b?c@example.org", "a=@example.org",
  ])
  func `An address is written as it was read`(text: String) throws {
    #expect(try EmailAddress(text).description == text)
  }

  @Test func `An address has a name and a domain, and a key in which case does not count`() throws {
    let address = try EmailAddress("\"a@b\"@Example.ORG")
    #expect(address.name == "\"a@b\"")
    #expect(address.domain == "Example.ORG")
    #expect(address.key == "\"a@b\"@example.org")
    #expect(try EmailAddress("Kate@example.org").key == EmailAddress("kate@Example.org").key)
  }

  @Test(arguments: [
    ("-oQ/tmp@example.org", EmailFault.hyphen), ("a\r\nb@example.org", .forbidden("\r")),
    ("\"a\nb\"@example.org", .forbidden("\n")), ("a\u{202E}b@example.org", .forbidden("\u{202E}")),
    ("a\u{A0}b@example.org", .forbidden("\u{A0}")),
    ("a@ex\u{200B}ample.org", .forbidden("\u{200B}")),
    ("\"a\" <x@evil.org>, \"b\"@example.org", .quotation), ("\"a@example.org", .quotation),
    (#""a\"@example.org"#, .quotation), ("a@[x] y[z]", .quotation), ("a@[", .forbidden("[")),
    ("a@[x,y]", .quotation), ("", .noAt), ("a@", .empty(isDomain: true)),
    ("a@[]", .empty(isDomain: true)), ("=?utf-8?Q?x?=@example.org", .encodedWord),
    ("\"=?x\"@example.org", .encodedWord), ("a=?@example.org", .encodedWord),
    ("rónai@példa.hu", .nameBeyondASCII("ó")), ("\"ó x\"@example.org", .nameBeyondASCII("ó")),
  ])
  func `What could be an option, hide or be several addresses is none`(
    text: String, fault: EmailFault
  ) {
    #expect(throws: fault) { try EmailAddress(text) }
  }
}

@Suite struct PunycodeTests {
  @Test(arguments: [
    ("post@példa.hu", "post@xn--plda-bpa.hu"), ("Post@PÉLDA.hu", "Post@xn--plda-bpa.hu"),
    ("\"a@b\"@www.bücher.example", "\"a@b\"@www.xn--bcher-kva.example"),
    ("a@пример.рф", "a@xn--e1afmkfd.xn--p1ai"), ("a@例え.テスト", "a@xn--r8jz45g.xn--zckzah"),
    // RFC 3492, section 7.1, (B), (L) and (S).
    ("a@他们为什么不说中文", "a@xn--ihqwcrb4cv8a8dqg056pqjye"),
    ("a@3年B組金八先生", "a@xn--3b-ww4c5e180e575a65lsy2b"),
    ("a@パフィーdeルンバ", "a@xn--de-jg4avhby1noc0d"),
  ])
  func `A domain beyond ASCII is refused with its form in ASCII`(text: String, ascii: String) throws
  {
    let fault = try #require(throws: EmailFault.self) { try EmailAddress(text) }
    #expect(fault == .domainBeyondASCII(ascii: ascii))
    #expect(fault.description == "has a domain beyond ASCII; write \(ascii)")
    #expect(throws: Never.self) { try EmailAddress(ascii) }
  }

  @Test func `No form is made up for a domain that would have to be composed first`() throws {
    let fault = try #require(throws: EmailFault.self) { try EmailAddress("post@pe\u{301}lda.hu") }
    #expect(
      fault.description == "has a domain beyond ASCII; write its form that begins with xn--")
  }
}

@Suite struct MailboxTests {
  @Test(arguments: [
    ("desk@example.org", nil as String?), ("<desk@example.org>", nil),
    ("Városi Könyvtár <desk@example.org>", "Városi Könyvtár"),
    ("\"Library, Town\"  <desk@example.org> ", "Library, Town"),
    ("O'Neill & Co. <desk@example.org>", "O'Neill & Co."),
  ])
  func `A mailbox is an address, with a name or without`(text: String, name: String?) throws {
    #expect(try Mailbox(text) == Mailbox(name: name, try EmailAddress("desk@example.org")))
  }

  @Test(arguments: [
    ("Desk", "has no @"), ("Desk <desk@example.org", "has no address between < and > at its end"),
    ("desk@example.org>", "has no address between < and > at its end"),
    ("Desk <desk@example.org> x", "has no address between < and > at its end"),
    ("Desk <desk>", "has no @"), ("a <b> <desk@example.org>", "contains \"<\""),
    ("De\"sk <desk@example.org>", "contains \"\"\""),
    ("Desk\r\nBcc: x <desk@example.org>", "contains \"\\u{d}\""),
    ("Desk desk@example.org", "contains a space"),
    ("Desk <-f@example.org>", "begins with a hyphen"),
  ])
  func `What is none is refused with the reason`(text: String, words: String) throws {
    let fault = try #require(throws: EmailFault.self) { try Mailbox(text) }
    #expect(fault.description == words)
  }
}
