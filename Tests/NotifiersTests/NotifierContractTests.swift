import Loans
import Notifiers
import System
import TestSupport
import Testing

/// What every notifier promises, asked of each.
@Suite(.ownThread) struct NotifierContractTests {
  @Test(arguments: Subject.all, [0, 1, 2, 5, 6, 99, 100, 101, 200, 201, 500])
  func `Every notice is in exactly one message, in order, and no message is empty`(
    subject: Subject, count: Int
  ) throws {
    let notices = (0..<count).map { reminder("Book \($0)") }
    let messages = try subject.working().notifier.messages(for: notices)
    #expect(messages.flatMap { Array($0) } == notices)
    #expect(!messages.contains { $0.isEmpty })
  }

  @Test(arguments: Subject.all)
  func `A message tells the title and what happens when`(subject: Subject) async throws {
    let setup = try subject.working()
    try setup.notifier.sendAll([reminder("Abigél"), expired("Egri csillagok")])
    let delivered = setup.delivered()
    #expect(delivered.contains("Abigél"))
    #expect(delivered.contains("tomorrow"))
    #expect(["2026.11.22", "22 November 2026"].contains { delivered.contains($0) })
    #expect(delivered.contains("Egri csillagok"))
    #expect(delivered.contains("7 days"))
  }

  @Test(arguments: Subject.all)
  func `A message names the library where it has a name`(subject: Subject) async throws {
    let setup = try subject.working()
    try setup.notifier.sendAll([
      reminder("Abigél", at: "the Central Library"), expired("Toldi", at: "the Central Library"),
    ])
    #expect(setup.delivered().ranges(of: "at the Central Library").count == 2)
    let unnamed = try subject.working()
    try unnamed.notifier.sendAll([reminder("Abigél"), expired("Toldi")])
    #expect(!unnamed.delivered().contains(" at "))
  }

  @Test(arguments: Subject.all)
  func `Sending a message again tells it again`(subject: Subject) async throws {
    let setup = try subject.working()
    try setup.notifier.sendAll([reminder("Abigél")])
    let once = setup.delivered()
    try setup.notifier.sendAll([reminder("Abigél")])
    #expect(setup.delivered() == (subject.keepsOneCopy ? once : once + once))
  }

  @Test(arguments: Subject.all)
  func `An empty message tells nothing`(subject: Subject) async throws {
    let setup = try subject.working()
    try setup.notifier.send([], in: context)
    #expect(setup.delivered() == "")
  }

  @Test(arguments: Subject.all, ["\u{1B}[31mred", "line\nbreak", "bell\u{7}", "\u{202E}kcab"])
  func `No character of a title or library steers what shows it`(
    subject: Subject, text: String
  ) async throws {
    let setup = try subject.working()
    try setup.notifier.sendAll([reminder(text, at: text), expired(text, at: text)])
    let harmless = setup.delivered().unicodeScalars.allSatisfy {
      $0 == "\n" || $0 == "\0" || !$0.isUnsafeToShow
    }
    #expect(harmless)
    #expect(!setup.delivered().contains("line\nbreak"))
  }

  @Test(arguments: Subject.all)
  func `A failure names its channel, in one line that says what to do`(
    subject: Subject
  ) async throws {
    let notifier = try subject.broken()
    let error = try #require(throws: NotifierError.self) {
      try notifier.sendAll([reminder("Abigél")])
    }
    #expect(error.channel == notifier.channel)
    #expect(error.message == subject.failure)
    #expect(error.description == error.message)
    #expect(error.stopsTheRun)
  }

  @Test(arguments: Subject.all)
  func `At least one message shares a commit`(subject: Subject) throws {
    #expect(try subject.working().notifier.messagesPerCommit >= 1)
  }

  @Test(arguments: Subject.all)
  func `Messages sent at the same time are all told`(subject: Subject) async throws {
    let setup = try subject.working()
    let notifier = setup.notifier
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 100..<120 {
        group.addTask { try notifier.sendAll([reminder("Book \(number)")]) }
      }
      try await group.waitForAll()
    }
    let delivered = setup.delivered()
    for number in 100..<120 { #expect(delivered.contains("Book \(number)")) }
  }

  @Test(arguments: Subject.all)
  func `Its channel has the name under which deliveries are recorded`(subject: Subject) throws {
    let setup = try subject.working()
    #expect(setup.notifier.channel == setup.channel ?? subject.channel)
  }
}

/// A notifier with a way to see what it delivered, and the same one where it cannot deliver.
struct Subject: Sendable, CustomTestStringConvertible {
  let channel: String
  let working: @Sendable () throws -> Setup
  let broken: @Sendable () throws -> any Notifier
  let failure: String
  /// Whether a message that is sent again takes the place of the first.
  var keepsOneCopy = false

  var testDescription: String { channel }

  struct Setup {
    let notifier: any Notifier
    /// The name of the channel, where it is not always the same.
    var channel: String?
    let delivered: () -> String
  }

  static let all = [standardOutput, notifySend, exec, program, mail, maildir]

  private static let standardOutput = Subject(
    channel: "stdout",
    working: {
      let folder = try ScratchFolder()
      try folder.write("", to: "output")
      let descriptor = openForWriting("\(folder.path)/output")
      let output = CheckedOutput(descriptor: descriptor)
      return Setup(notifier: StandardOutputNotifier(output: output)) {
        folder.contents(of: "output")
      }
    },
    broken: {
      StandardOutputNotifier(output: CheckedOutput(descriptor: 1_000_000))
    },
    failure: "cannot write to descriptor 1000000: Bad file descriptor; "
      + "its due notices stay pending for the next run")

  private static let notifySend = Subject(
    channel: "notify-send",
    working: {
      let fake = try FakeNotifySend.recording()
      return Setup(notifier: fake.notifier()) { fake.folder.contents(of: "calls") }
    },
    broken: {
      NotifySendNotifier(environment: ["PATH": "/nonexistent"], userID: 0)
    },
    failure: "notify-send was not found in PATH; "
      + "install it (Debian: apt install libnotify-bin) or use --notify stdout")

  private static let exec = Subject(
    channel: "exec:tell",
    working: {
      let fake = try FakeProgram.recording()
      let environment = ["PATH": fake.folder.path]
      return Setup(notifier: ProgramNotifier.exec("tell", environment: environment)) {
        fake.folder.contents(of: "documents")
      }
    },
    broken: {
      ProgramNotifier.exec("tell", environment: ["PATH": "/nonexistent"])
    },
    failure: "exec:tell was not found in PATH, which is /nonexistent; install it, or give its path")

  private static let program = Subject(
    channel: "phone",
    working: {
      let fake = try FakeProgram.recording()
      return Setup(
        notifier: ProgramNotifier(
          channel: "phone", command: [try ArgumentTemplate("tell")],
          environment: ["PATH": fake.folder.path])
      ) {
        fake.folder.contents(of: "documents")
      }
    },
    broken: {
      ProgramNotifier(
        channel: "phone", command: [try ArgumentTemplate("tell")],
        environment: ["PATH": "/nonexistent"])
    },
    failure: "phone: tell was not found in PATH, which is /nonexistent; "
      + "install it, or give its path"
  )

  private static let mail = Subject(
    channel: "mail",
    working: {
      let fake = try FakeSendmail.recording()
      return Setup(notifier: try fake.notifier()) { fake.messages.decodedMessage }
    },
    broken: {
      let environment = ["PATH": "/nonexistent"]
      return MailNotifier(
        settings: try .sample(), program: ["post", "-q"], environment: environment)
    },
    failure: "mail: post was not found in PATH, which is /nonexistent; install it, or give its path"
  )

  private static let maildir = Subject(
    channel: "maildir:DIR",
    working: {
      let folder = try ScratchFolder()
      let notifier = MaildirNotifier(directory: "\(folder.path)/mail", settings: try .sample())
      return Setup(notifier: notifier, channel: "maildir:\(folder.path)/mail") {
        let names = (try? File.names(in: "\(folder.path)/mail/new")) ?? []
        return names.map { folder.contents(of: "mail/new/\($0)").decodedMessage }.joined()
      }
    },
    broken: { MaildirNotifier(directory: "/dev/null/mail", settings: try .sample()) },
    failure: "maildir:/dev/null/mail cannot be used: /dev/null/mail: not a directory; "
      + "correct this, or give another directory",
    keepsOneCopy: true)
}
