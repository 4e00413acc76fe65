import Languages
import Loans
import Mail
import Notifiers
import Testing

@Suite struct MailSettingsTests {
  private func notice(
    _ title: String = "Abigél", to borrower: String? = "Kovács Anna", on day: Int = 22
  ) -> Notice {
    let loan = Loan(
      title: title, borrower: borrower, email: "anna@example.org", expiration: sampleDay(day))
    return Notice(rung: -1, loan: loan, catalogue: "books.xml")
  }

  @Test func `A message is from the library, to the borrower by name`() throws {
    let settings = try MailSettings.sample { $0.replyTo = try Mailbox("answers@example.org") }
    let message = try #require(settings.message(about: [notice()], in: mailContext()))
    #expect(message.from == settings.from)
    #expect(message.replyTo == settings.replyTo)
    #expect(message.to == Mailbox(name: "Kovács Anna", try EmailAddress("anna@example.org")))
    #expect(message.subject == "1 book to return, due 22 November 2026")
    #expect(message.date == context.now)
    #expect(message.utcOffset == 3_600)
    #expect(message.text.hasPrefix("Dear Kovács Anna,\n"))
    let reason =
      "You are receiving this message because you have borrowed something from Városi Könyvtár."
    #expect(message.text.hasSuffix("\nKind regards,\nVárosi Könyvtár\n\n\(reason)\n"))
    #expect(message.html == nil)
  }

  @Test func `A message to several people at an address names none in its header`() throws {
    let notices = [notice(), notice(to: "Kovács Béla")]
    let message = try #require(
      try MailSettings.sample().message(about: notices[...], in: mailContext()))
    #expect(message.to == Mailbox(try EmailAddress("anna@example.org")))
  }

  @Test func `Both forms of a body say the same`() throws {
    let settings = try MailSettings.sample {
      $0.format = .both
      $0.style = try StyleSheet("p { margin: 0 }")
      $0.unsubscribe = [try UnsubscribeLink("https://example.org/{email}")]
    }
    let message = try #require(settings.message(about: [notice()], in: mailContext()))
    let html = try #require(message.html)
    #expect(html.contains("“Abigél” is due tomorrow"))
    #expect(html.contains("\np { margin: 0 }\n"))
    #expect(html.contains("<a href=\"https://example.org/anna%40example.org\">"))
    #expect(message.text.contains("\nhttps://example.org/anna%40example.org\n"))
    #expect(message.unsubscribe == ["https://example.org/anna%40example.org"])
  }

  @Test func `A message has every link, and the letter in it the first`() throws {
    let settings = try MailSettings.sample {
      $0.unsubscribe = try ["mailto:stop+{token}@example.org", "https://example.org/{token}"].map {
        try UnsubscribeLink($0)
      }
      $0.unsubscribeKey = [1, 2, 3]
    }
    let message = try #require(settings.message(about: [notice()], in: mailContext()))
    let address = try EmailAddress("anna@example.org")
    #expect(
      message.unsubscribe == settings.unsubscribe.map { $0.link(for: address, key: [1, 2, 3]) })
    #expect(message.text.hasSuffix("\nStop these messages:\n\(message.unsubscribe[0])\n"))
  }

  @Test func `A sender without a name is not told to lend books`() throws {
    let settings = MailSettings(from: try Mailbox("desk@example.org"))
    let message = try #require(settings.message(about: [notice()], in: mailContext()))
    let reason =
      "You are receiving this message because you have borrowed something from the library."
    #expect(message.text.hasSuffix("\n\n\(reason)\n"))
    #expect(message.html?.contains("<p>\(reason)</p>") == true)
    var branch = notice()
    branch.library = "the Central Library"
    let other = try #require(settings.message(about: [branch], in: mailContext()))
    #expect(other.text.hasSuffix(" have borrowed something from the Central Library.\n"))
  }

  @Test func `What has no address is for the library, in its language`() throws {
    let settings = try MailSettings.sample {
      $0.unsubscribe = [try UnsubscribeLink("https://example.org/{email}")]
    }
    let message = try #require(settings.message(about: [notice()], in: mailContext(nil)))
    #expect(message.to == settings.fallback)
    #expect(message.subject == "Reminders for 1 borrower without a usable address")
    #expect(message.unsubscribe == [])
    #expect(!message.text.contains("https"))
  }

  @Test func `Without anybody to write to there is no message`() throws {
    let settings = try MailSettings.sample { $0.fallback = nil }
    #expect(settings.message(about: [notice()], in: mailContext(nil)) == nil)
    #expect(settings.message(about: [notice()], in: mailContext("anna")) == nil)
    #expect(settings.message(about: [], in: mailContext()) == nil)
  }

  @Test(arguments: ["anna@example.org", nil])
  func `In a trial all goes to one address, with the real one in the subject`(
    address: String?
  ) throws {
    let settings = try MailSettings.sample {
      $0.redirect = try Mailbox("me@example.net")
      $0.unsubscribe = [try UnsubscribeLink("https://example.org/{email}")]
    }
    let message = try #require(settings.message(about: [notice()], in: mailContext(address)))
    #expect(message.to.address.description == "me@example.net")
    #expect(message.subject.hasPrefix("\(address ?? "desk@example.org"): "))
    #expect(!message.text.contains("anna%40"))
  }

  @Test func `No more of a title is told than may be`() throws {
    let settings = try MailSettings.sample { _ in }
    let messages = [mailContext(), mailContext(nil)].compactMap {
      settings.message(about: [notice().hidingTitles(.none)], in: $0)
    }
    #expect(messages.count == 2)
    for message in messages {
      #expect(message.text.contains("- 1 book, due 22 November 2026\n"))
      #expect(!message.text.contains("Abigél"))
    }
  }

  @Test(arguments: ["\r\nBcc: evil@example.org", "\nTo: evil@example.org\n\nbody", "a\u{0}b"])
  func `No text from the catalogue makes a field of the header, or a recipient`(
    text: String
  ) throws {
    var notice = notice("Abigél\(text)", to: "Anna\(text)")
    notice.library = "Library\(text)"
    notice.loan.email = "anna@example.org\(text)"
    for address in ["anna@example.org", nil] {
      let message = try #require(
        try MailSettings.sample().message(about: [notice], in: mailContext(address)))
      let header = String(decoding: message.bytes, as: UTF8.self)
        .split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
      let names = header.filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
      #expect(names.count { $0 == "To" } == 1 && !names.contains("Bcc"))
      #expect(names.last == "Content-Transfer-Encoding")
      #expect(message.to.address.description == address ?? "desk@example.org")
    }
    let context = mailContext(notice.loan.email)
    let message = try MailSettings.sample().message(about: [notice], in: context)
    #expect(message?.to.address.description == "desk@example.org")
  }
}
