import Loans
import Mail
import Notifiers
import TestSupport
import Testing

@Suite(.ownThread) struct MailNotifierTests {
  @Test func `The program gets one recipient as an argument, and the message as input`() throws {
    let fake = try FakeSendmail.recording()
    let settings = try MailSettings.sample()
    let notifier = try fake.notifier(
      settings, arguments: ["-a", "library"], bounce: "bounces@example.org")
    try notifier.send([reminder("Abigél")], in: mailContext())
    #expect(
      fake.arguments == [
        "-a", "library", "-i", "-f", "bounces@example.org", "--", "anna@example.org",
      ])
    let message = try #require(settings.message(about: [reminder("Abigél")], in: mailContext()))
    #expect(fake.messages == String(decoding: message.bytes, as: UTF8.self))
  }

  @Test func `What cannot be delivered comes back to the sender, unless somebody else is named`()
    throws
  {
    let fake = try FakeSendmail.recording()
    try fake.notifier().send([reminder("Abigél")], in: mailContext(nil))
    #expect(fake.arguments == ["-i", "-f", "library@example.org", "--", "desk@example.org"])
  }

  @Test func `Notices are grouped by address, within a limit`() throws {
    let fake = try FakeSendmail.recording()
    #expect(
      try fake.notifier().grouping == .byAddress(hasFallback: true, limit: 500, mostBorrowers: 6))
    let settings = try MailSettings.sample {
      $0.fallback = nil
      $0.limit = 3
    }
    #expect(
      try fake.notifier(settings).grouping
        == .byAddress(hasFallback: false, limit: 3, mostBorrowers: 6))
    #expect(try fake.notifier().messagesPerCommit == 1)
  }

  @Test func `What has no address at all is not sent, and stops nothing`() throws {
    let fake = try FakeSendmail.recording()
    let notifier = try fake.notifier(try .sample { $0.fallback = nil })
    let error = try #require(throws: NotifierError.self) {
      try notifier.send([reminder("Abigél")], in: mailContext(nil))
    }
    #expect(error.code == .failed)
    #expect(error.message == "mail has no address for this message; set mail-fallback")
    #expect(fake.arguments == [])
  }

  @Test(arguments: [67, 75])
  func `A reader's address is not repeated, and the library's own is`(status: Int) throws {
    let error = try failure(
      of: "echo '550 5.1.1 <anna@example.org>: unknown to library@example.org' >&2; exit \(status)")
    #expect(
      error.message.contains("status \(status): 550 5.1.1 <…>: unknown to library@example.org; "))
  }

  @Test func `The loan of a refused address is named by its number`() throws {
    let fake = try FakeSendmail("exit 67")
    var notice = reminder("Abigél")
    notice.number = 3
    let error = try #require(throws: NotifierError.self) {
      try fake.notifier().send([notice], in: mailContext())
    }
    #expect(error.message.hasSuffix("; correct the address of loan 3 in the catalogue"))
  }

  @Test(arguments: [65, 67, 68])
  func `A recipient who is refused for good is never tried again`(status: Int) throws {
    let error = try failure(
      of: "echo 'sendmail: no such user' >&2; echo 'more' >&2; exit \(status)")
    #expect(error.code == .undeliverable)
    #expect(
      error.message == "mail: PROGRAM failed with exit status \(status): sendmail: no such user; "
        + "correct the borrower's address in the catalogue")
  }

  @Test(arguments: [1, 64, 66, 69, 70, 71, 73, 74, 75, 77, 78, 127])
  func `Any other failure may be over tomorrow`(status: Int) throws {
    let error = try failure(of: "echo 'no \u{1B}[1m' >&2; exit \(status)")
    #expect(error.code == .temporary)
    #expect(
      error.message == "mail: PROGRAM failed with exit status \(status): no \\u{1b}[1m; "
        + "if this persists, check the mail system")
  }

  @Test func `A program that dies has failed for now`() throws {
    let error = try failure(of: "kill -KILL $$")
    #expect(error.code == .temporary)
    #expect(error.message.hasPrefix("mail: PROGRAM was ended by signal 9; "))
  }

  @Test func `A server that refuses the sender does not make an address undeliverable`() throws {
    let sender = "sendmail: envelope from address library@example.org not accepted by the server"
    #expect(try failure(of: "echo '\(sender)' >&2; exit 65").code == .temporary)
    let both = "anna@example.org refuses library@example.org"
    #expect(try failure(of: "echo '\(both)' >&2; exit 67").code == .undeliverable)
    #expect(try failure(of: "echo '\(both)' >&2; exit 65").code == .temporary)
  }

  @Test(arguments: [
    ("y@example.org", "<library@example.org>: sender rejected", NotifierError.Code.temporary),
    ("y@example.org", "Library@Example.org. Try another sender", .temporary),
    ("y@example.org", "550 x@example.org.uk, sent by library@example.org", .temporary),
    ("y@example.org", "<library@example.org>, y@example.org unknown", .undeliverable),
    ("y@example.org", "old-library@example.org is unknown", .undeliverable),
    ("y@example.org", "library@example.org.uk is unknown", .undeliverable),
    ("y@example.org", "library@example.org-x is unknown", .undeliverable),
    ("rary@example.org", "<library@example.org>: sender rejected", .temporary),
    ("library@example.or", "<library@example.org>: sender rejected", .temporary),
  ])
  func `An address is not taken for one that it is a part of`(
    reader: String, words: String, code: NotifierError.Code
  ) throws {
    #expect(try failure(of: "echo '\(words)' >&2; exit 67", to: reader).code == code)
  }

  /// What programs print of a server's reply, and whether it refuses the recipient for good.
  private static let replies: [(String, Bool)] = [
    // msmtp, with replies of postfix, exim, Exchange and qmail.
    ("msmtp: server message: 550 5.1.1 <a@b.org>: Recipient address rejected: User unknown", true),
    ("msmtp: server message: 550 Unrouteable address", true),
    (
      "msmtp: server message: 550-5.1.1 The email account that you tried to reach does not exist",
      true
    ),
    ("msmtp: server message: 550 5.2.1 The email account is disabled", false),
    ("msmtp: server message: 550 5.1.0 Rejected by policy", false),
    ("msmtp: server message: 550 5.1.0 Unknown user", true),
    ("msmtp: server message: 550 SPF check failed", false),
    ("msmtp: server message: 550 Administrative prohibition", false),
    ("msmtp: server message: 550 rate limit exceeded", false),
    ("msmtp: server message: 550 Domain of sender does not exist, unknown address", false),
    ("msmtp: server message: 550 No such user here", true),
    ("msmtp: server message: 550 that user does not exist", true),
    ("msmtp: server message: 550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found", true),
    ("msmtp: server message: 553 5.1.3 Invalid address", true),
    ("msmtp: server message: 556 5.1.10 Recipient address has null MX", true),
    ("msmtp: server message: 554 5.7.1 <a@b.org>: Relay access denied", false),
    ("msmtp: server message: 530 5.7.0 Authentication required", false),
    ("msmtp: server message: 530 Must issue a STARTTLS command first", false),
    ("msmtp: server message: 535 Incorrect authentication data", false),
    ("msmtp: server message: 550 5.7.1 Daily sending quota exceeded", false),
    ("msmtp: server message: 552 5.7.0 Sending quota exceeded", false),
    ("msmtp: server message: 552 Message size exceeds maximum permitted", false),
    ("msmtp: server message: 552 5.2.2 Mailbox full", false),
    ("msmtp: server message: 552 5.2.3 Message is too long", false),
    ("msmtp: server message: 553 5.1.8 Domain of sender address does not exist", false),
    ("msmtp: server message: 553 5.1.7 Sender address rejected: not owned by user desk", false),
    (
      "msmtp: server message: 553 that domain is not in my list of allowed rcpthosts (#5.7.1)",
      false
    ),
    ("msmtp: server message: 521 mail.example.org does not accept mail", false),
    ("msmtp: server message: 554 No SMTP service here", false),
    ("msmtp: server message: 450 4.2.1 The user is receiving mail too quickly", false),
    // postfix and sendmail, exim, nullmailer, dma, ssmtp.
    (
      "host mx.b.org[192.0.2.1] said: 550 5.1.1 <a@b.org>: User unknown (in reply to RCPT TO)", true
    ),
    ("host mx.b.org[192.0.2.1] said: 550 5.7.1 Service unavailable; client blocked", false),
    ("a@b.org R=smarthost T=smtp: SMTP error after RCPT TO:<a@b.org>: 550 User unknown", true),
    ("a@b.org R=smarthost T=smtp: SMTP error after RCPT TO:<a@b.org>: 554 Denied", false),
    ("smtp: Failed: 550 5.1.1 <a@b.org>: Recipient address rejected", true),
    ("smtp: Failed: 530 5.7.0 Authentication required", false),
    ("dma: remote delivery failed: mx.b.org [192.0.2.1] failed after RCPT TO: 550 5.1.1 No", true),
    ("sendmail: RCPT TO:<a@b.org> (554 5.7.1 <a@b.org>: Relay access denied)", false),
    ("msmtp: server message: 550 Relaying denied", false),
    // No reply at all.
    ("sendmail: kiss-554-b@b.org: no such user", true),
    ("sendmail: a@b.org: no such user; port 587, code 5500, 192.5.7.1", true),
  ]

  @Test(arguments: replies)
  func `A server's words decide whether an address is refused for good`(
    reply: String, isForGood: Bool
  ) throws {
    for status in [65, 67, 68] {
      let error = try failure(
        of: "echo 'x' >&2; cat >&2 <<'END'\n\(reply)\nlast line\nEND\nexit \(status)")
      #expect(error.code == (isForGood ? .undeliverable : .temporary), "\(reply)")
      let advice =
        isForGood
        ? "correct the borrower's address in the catalogue"
        : "if this persists, check the mail system"
      let words = reply.contains("no such user") ? "x" : reply.replacing("a@b.org", with: "…")
      #expect(
        error.message == "mail: PROGRAM failed with exit status \(status): \(words); \(advice)")
    }
  }

  @Test(arguments: [
    ("450 4.7.1 not from library@example.org.", nil), ("450 4.7.1 [library@example.org] x", nil),
    ("450 4.7.1 from LIBRARY@example.org, again", nil),
    ("550 5.1.1 User unknown: anna.o'neill", "550 5.1.1 User unknown: …"),
    ("550 5.1.1 Anna.O'Neill: no such user", "550 5.1.1 …: no such user"),
    ("450 4.2.1 it is not joanna.o'neill, nor anna.o'neilly", nil),
    (
      "procmail: cannot create /var/mail/anna.o'neill: no",
      "procmail: cannot create /var/mail/…: no"
    ),
    ("user anna.o'neill- {anna.o'neill} ~anna.o'neill", "user …- {…} ~…"),
    (
      "450 4.2.1 Kovács Anna is away; To: =?UTF-8?Q?Anna_Kov=C3=A1cs?=",
      "450 4.2.1 … is away; To: …"
    ),
    (
      "450 4.7.1 \(String(repeating: "x", count: 281)) <anna.o'neill@example.org>",
      "450 4.7.1 \(String(repeating: "x", count: 281)) <…>"
    ),
    ("450 4.2.1 <Anna.O'Neill@example.org>, [b@c.org].", "450 4.2.1 <…>, […]."),
    ("450 4.2.1 anna.o'neill@localhost is full", "450 4.2.1 … is full"),
  ])
  func `A refusal shows the library's addresses and no reader's`(
    reply: String, shown: String?
  ) throws {
    let error = try failure(
      of: "cat >&2 <<'END'\n\(reply)\nEND\nexit 67", to: "anna.o'neill@example.org")
    #expect(error.message.contains(": \(shown ?? reply); "), "\(error.message)")
  }

  @Test(arguments: [
    ("anna+library@example.org", "550 5.1.1 mailbox anna unknown", "550 5.1.1 mailbox … unknown"),
    ("\"anna.k\"@example.org", "550 5.1.1 anna.k unknown", "550 5.1.1 … unknown"),
    ("exit@example.org", "550 5.1.1 unknown", "550 5.1.1 unknown"),
    ("550@example.org", "550 5.1.1 unknown", "550 5.1.1 unknown"),
    (
      "library@example.com", "450 <library@example.org> refused",
      "450 <library@example.org> refused"
    ),
  ])
  func `Nothing else is hidden, whatever the reader's address`(
    address: String, reply: String, shown: String
  ) throws {
    let error = try failure(of: "cat >&2 <<'END'\n\(reply)\nEND\nexit 67", to: address)
    let start = "mail: PROGRAM failed with exit status 67: \(shown); "
    #expect(error.message.hasPrefix(start), "\(error.message)")
  }

  @Test func `A refusal of one of the library's own addresses names its setting`() throws {
    let redirected = try MailSettings.sample { $0.redirect = try Mailbox("me@example.net") }
    let words = "mail: PROGRAM failed with exit status 67: 550 5.1.1 no such user; correct "
    let script = "echo '550 5.1.1 no such user' >&2; exit 67"
    for address in ["anna@example.org", nil] {
      let error = try failure(of: script, redirected, to: address)
      #expect(error.code == .temporary)
      #expect(error.message == words + "mail-redirect")
    }
    let fallback = try failure(of: script, to: nil)
    #expect(fallback.code == .temporary)
    #expect(fallback.message == words + "mail-fallback")
    #expect(
      try failure(of: script).message == words + "the borrower's address in the catalogue")
  }

  @Test func `A program that hangs is stopped with its children`() async throws {
    let script =
      #"trap '' TERM; sleep 600 & echo $! >> "$here/pids"; echo $$ >> "$here/pids"; wait; sleep 600"#
    let fake = try FakeSendmail(script)
    let error = try #require(throws: NotifierError.self) {
      try fake.notifier(timeout: .milliseconds(500)).send([reminder("Abigél")], in: mailContext())
    }
    #expect(error.code == .temporary)
    #expect(
      error.message == "mail: \(fake.program.path) did not finish within 0.5 s and was stopped; "
        + "check the mail system")
    #expect(!error.stopsTheRun)
    #expect(fake.program.processes.count == 2)
    try await expectEnd(of: fake.program.processes)
  }

  @Test func `Without a program named, the first of the usual places is run`() throws {
    let fakes = try [FakeSendmail.recording(), FakeSendmail.recording()]
    var notifier = MailNotifier(settings: try .sample(), environment: [:])
    notifier.places = ["/nonexistent/sendmail"] + fakes.map(\.program.path)
    try notifier.send([reminder("Abigél")], in: mailContext())
    #expect(fakes[0].messages.contains("anna@example.org"))
    #expect(fakes[1].messages == "")
  }

  @Test func `Without one there either, it is looked for in PATH`() throws {
    let fake = try FakeSendmail.recording()
    try fake.folder.makeLink("sendmail", to: "tell")
    var notifier = MailNotifier(settings: try .sample(), environment: ["PATH": fake.folder.path])
    notifier.places = []
    try notifier.send([reminder("Abigél")], in: mailContext())
    #expect(fake.messages.contains("anna@example.org"))
  }

  @Test func `Without any mail system the advice is to install one`() throws {
    var notifier = MailNotifier(settings: try .sample(), environment: ["PATH": "/nonexistent"])
    notifier.places = []
    let error = try #require(throws: NotifierError.self) {
      try notifier.send([reminder("Abigél")], in: mailContext())
    }
    #expect(error.code == .unavailable)
    #expect(
      error.message == "mail: sendmail was not found; install a mail system (Debian: apt install "
        + "msmtp-mta), or name a program with mail-program")
  }

  /// The failure of a message that a program refuses, with `PROGRAM` in place of its path.
  private func failure(
    of script: String, _ settings: MailSettings? = nil, to address: String? = "anna@example.org"
  ) throws -> NotifierError {
    let fake = try FakeSendmail(script)
    let error = try #require(throws: NotifierError.self) {
      try fake.notifier(settings)
        .send([reminder("Abigél", to: "Kovács Anna")], in: mailContext(address))
    }
    return NotifierError(
      error.code, channel: error.channel,
      message: error.message.replacing(fake.program.path, with: "PROGRAM"))
  }
}

/// The whole way through a real program to a real server.
@Suite(
  .ownThread,
  .enabled(
    if: File.exists("/usr/bin/msmtp") && File.exists("/usr/lib/python3/dist-packages/aiosmtpd"),
    "needs msmtp and python3-aiosmtpd"))
struct MailServerTests {
  @Test func `A message arrives as it was written`() async throws {
    let server = try await MailServer("accept")
    let settings = try MailSettings.sample { $0.format = .both }
    let notices = [
      reminder("Tüskevár 🦉 \(String(repeating: "long ", count: 300))"), expired("\n.\nFrom me"),
    ]
    let addresses = ["anna@example.org", "o'neill+books@example.org", "r&nai@example.org"]
    for (number, address) in addresses.enumerated() {
      let context = mailContext(address)
      try server.notifier(settings).send(notices[...], in: context)
      let message = try #require(settings.message(about: notices[...], in: context))
      #expect(
        server.folder.contents(of: "\(number).eml")
          == String(decoding: message.bytes, as: UTF8.self))
      #expect(server.folder.contents(of: "\(number).to") == "library@example.org\n\(address)")
    }
  }

  @Test(arguments: [
    ("recipient", "550 5.1.1 no such user", NotifierError.Code.undeliverable),
    ("recipient", "554 5.7.1 <anna@example.org>: Relay access denied", .temporary),
    ("recipient", "530 5.7.0 Authentication required", .temporary),
    ("recipient", "451 4.7.1 Greylisting in action, please come back later", .temporary),
    ("sender", "550 5.7.1 who are you?", .temporary),
    ("data", "451 4.3.0 try again", .temporary),
  ])
  func `A refusal by a server is for good only where it is about the recipient`(
    mode: String, reply: String, code: NotifierError.Code
  ) async throws {
    let server = try await MailServer(mode, reply)
    let error = try #require(throws: NotifierError.self) {
      try server.notifier().send([reminder("Abigél")], in: mailContext())
    }
    #expect(error.code == code, "\(error.message)")
    let shown = reply.replacing("anna@example.org", with: "…")
    #expect(error.message.contains(": msmtp: server message: \(shown); "), "\(error.message)")
    #expect(!server.folder.contains("0.eml"))
  }

  @Test func `A server that is not there may be there tomorrow`() async throws {
    let server = try await MailServer("accept")
    try await server.stop()
    let error = try #require(throws: NotifierError.self) {
      try server.notifier().send([reminder("Abigél")], in: mailContext())
    }
    #expect(error.code == .temporary)
    #expect(error.message.contains("cannot connect to 127.0.0.1"))
  }

  @Test func `A server that does not answer is not waited for without end`() async throws {
    let server = try await MailServer("slow")
    let error = try #require(throws: NotifierError.self) {
      try server.notifier(timeout: .milliseconds(500)).send([reminder("Abigél")], in: mailContext())
    }
    #expect(error.code == .temporary)
    #expect(error.message.contains("did not finish within 0.5 s"))
  }
}

/// A server in a process of its own, and the settings for msmtp(1) to reach it.
private final class MailServer {
  let folder: ScratchFolder
  private let process: RunningCommand

  init(_ mode: String, _ reply: String...) async throws {
    folder = try ScratchFolder()
    let tool = #filePath.replacing("MailNotifierTests.swift", with: "Tools/smtp_server.py")
    process = try RunningCommand(
      Command(
        "/usr/bin/python3", ["-I", tool, folder.path, mode] + reply,
        environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"], directory: folder.path))
    for _ in 0..<3_000 where !folder.contains("port") {
      try await Task.sleep(for: .milliseconds(10))
    }
    let port = folder.contents(of: "port")
    try #require(!port.isEmpty, "the server has not begun to listen")
    try folder.write("account default\nhost 127.0.0.1\nport \(port)\n", to: "msmtprc")
  }

  /// Ends the server, and waits until nobody listens any longer.
  func stop() async throws {
    process.send(.kill)
    _ = try await process.end()
  }

  func notifier(
    _ settings: MailSettings? = nil, timeout: Duration = .seconds(60)
  ) throws -> MailNotifier {
    MailNotifier(
      settings: try settings ?? .sample(),
      program: ["/usr/bin/msmtp", "-C", "\(folder.path)/msmtprc"], environment: [:],
      timeout: timeout)
  }
}

extension ScratchFolder {
  fileprivate func contains(_ name: String) -> Bool { File.exists("\(path)/\(name)") }
}
