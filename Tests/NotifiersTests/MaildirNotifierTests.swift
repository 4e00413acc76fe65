import Loans
import Mail
import Notifiers
import TestSupport
import Testing

@Suite(.ownThread) struct MaildirNotifierTests {
  private let folder: ScratchFolder
  private let settings: MailSettings
  private let notifier: MaildirNotifier

  init() throws {
    folder = try ScratchFolder()
    settings = try .sample()
    notifier = MaildirNotifier(directory: "\(folder.path)/a/mail", settings: settings)
  }

  private func send(_ notices: Notice...) throws {
    try notifier.send(notices[...], in: mailContext())
  }

  private func names(_ name: String) throws -> [String] {
    try File.names(in: "\(folder.path)/a/mail/\(name)")
  }

  @Test func `A message is in new, named after its identifier, for this user alone`() throws {
    try send(reminder("Abigél"))
    let message = try #require(settings.message(about: [reminder("Abigél")], in: mailContext()))
    let name = try #require(message.id.description.split(separator: "@").first)
    #expect(try names("new") == [String(name)])
    #expect(try names("tmp") == [] && names("cur") == [])
    let file = "a/mail/new/\(name)"
    #expect(try File.bytes(of: "\(folder.path)/\(file)") == message.bytes)
    #expect(try folder.status(of: file).mode == 0o600)
    for name in ["a", "a/mail", "a/mail/cur", "a/mail/new", "a/mail/tmp"] {
      #expect(try folder.status(of: name).mode == 0o700)
    }
  }

  @Test func `A message that is sent again takes the place of the first`() throws {
    try send(reminder("Abigél"))
    try send(reminder("Abigél"))
    #expect(try names("new").count == 1)
    try send(reminder("Toldi"))
    try notifier.send([reminder("Abigél")], in: mailContext("bela@example.org"))
    #expect(try names("new").count == 3)
  }

  @Test func `What a killed run has left in tmp does not stop the next`() throws {
    try send(reminder("Abigél"))
    let name = try #require(try names("new").first)
    try folder.rename("a/mail/new/\(name)", to: "a/mail/tmp/\(name)")
    try send(reminder("Abigél"))
    #expect(try names("new") == [name] && names("tmp") == [])
  }

  @Test func `No link leads a message elsewhere`() throws {
    try send(reminder("Abigél"))
    let name = try #require(try names("new").first)
    try folder.remove("a/mail/new/\(name)")
    try folder.write("mine", to: "victim")
    try folder.makeLink("a/mail/tmp/\(name)", to: "../../../victim")
    try folder.makeLink("a/mail/new/\(name)", to: "../../../victim")
    try send(reminder("Abigél"))
    #expect(folder.contents(of: "victim") == "mine")
    #expect(folder.contents(of: "a/mail/new/\(name)").contains("anna@example.org"))
  }

  @Test(arguments: ["cur", "new", "tmp"])
  func `A link in place of a directory is refused`(name: String) throws {
    try folder.makeDirectory("a")
    try folder.makeDirectory("a/mail")
    try folder.makeDirectory("elsewhere")
    try folder.makeLink("a/mail/\(name)", to: "../../elsewhere")
    let error = try #require(throws: NotifierError.self) { try send(reminder("Abigél")) }
    #expect(error.code == .unavailable)
    #expect(
      error.message == "\(notifier.channel) cannot be used: \(folder.path)/a/mail/\(name) is not a "
        + "directory; give another place")
    #expect(try File.names(in: "\(folder.path)/elsewhere") == [])
  }

  @Test func `The name of a file has nothing that a Maildir gives a meaning`() throws {
    let settings = try MailSettings.sample { $0.from = try Mailbox("desk@[IPv6:2001:db8::1]") }
    try MaildirNotifier(directory: "\(folder.path)/a/mail", settings: settings)
      .send([reminder("Abigél")], in: mailContext())
    let name = try #require(try names("new").first)
    #expect(name.wholeMatch(of: #/[0-9a-f]{32}\.20261121/#) != nil, "\(name)")
  }

  @Test func `A Maildir has messages to readers, even in a trial of mail`() throws {
    let trial = try MailSettings.sample { $0.redirect = try Mailbox("me@example.net") }
    try MaildirNotifier(directory: "\(folder.path)/a/mail", settings: trial)
      .send([reminder("Abigél")], in: mailContext())
    let name = try #require(try names("new").first)
    #expect(folder.contents(of: "a/mail/new/\(name)").contains("anna@example.org"))
  }

  @Test func `Messages are written in larger steps than they are sent`() throws {
    #expect(notifier.messagesPerCommit == 100)
    #expect(notifier.grouping == .byAddress(hasFallback: true, limit: 500, mostBorrowers: 6))
  }

  @Test(.enabled(if: File.exists("/usr/bin/mlist"), "needs mblaze"))
  func `A mail program finds the messages`() async throws {
    try send(reminder("Abigél"))
    try notifier.send([expired("Toldi")], in: mailContext("bela@example.org"))
    let result = try await Command(
      "/bin/sh", ["-c", "mlist -N a/mail | mhdr -d -h to | sort"],
      environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"], directory: folder.path
    ).run()
    #expect(result.lines == ["anna@example.org", "bela@example.org"])
  }
}
