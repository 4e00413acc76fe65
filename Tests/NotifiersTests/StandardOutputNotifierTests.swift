import Glibc
import Languages
import Loans
import Notifiers
import System
import Testing

@Suite struct StandardOutputNotifierTests {
  @Test func `Each notice is one line, written when the message has been sent`() async throws {
    let pipe = TestPipe(isNonBlocking: true)
    defer { pipe.closeReadEnd() }
    defer { pipe.closeWriteEnd() }
    let notifier = StandardOutputNotifier(output: CheckedOutput(descriptor: pipe.writeEnd))
    try notifier.sendAll([reminder("Abigél"), expired("Egri csillagok")])
    let expected = """
      "Abigél" expires tomorrow (2026.11.22)
      "Egri csillagok" expired 7 days ago (2026.11.14)

      """
    #expect(String(decoding: pipe.read(upTo: 1_000), as: UTF8.self) == expected)
  }

  @Test func `A full disk fails the message and ends the run`() async throws {
    let descriptor = openForWriting("/dev/full")
    defer { close(descriptor) }
    let notifier = StandardOutputNotifier(output: CheckedOutput(descriptor: descriptor))
    let error = try #require(throws: NotifierError.self) {
      try notifier.sendAll([reminder("Abigél")])
    }
    #expect(error.code == .outputFailed(errno: ENOSPC))
    #expect(error.stopsTheRun)
  }

  @Test func `A line has left the process before the next one is sent`() async throws {
    let pipe = TestPipe(isNonBlocking: true)
    defer { pipe.closeReadEnd() }
    defer { pipe.closeWriteEnd() }
    let notifier = StandardOutputNotifier(output: CheckedOutput(descriptor: pipe.writeEnd))
    for message in notifier.messages(for: (0..<300).map({ reminder("Book \($0)") })) {
      try notifier.send(message, in: context)
      #expect(
        pipe.read(upTo: 1_000) == message.flatMap { Array("\($0.line(today: today))\n".utf8) })
    }
  }

  @Test(arguments: [0, 1, 100, 101, 501])
  func `However many notices there are, each is a message`(count: Int) {
    let notifier = StandardOutputNotifier(output: CheckedOutput(descriptor: 1))
    let due = (0..<count).map { reminder("Book \($0)") }
    #expect(notifier.messages(for: due).count == count)
    #expect(notifier.messagesPerCommit == 10_000)
  }
}
