import Loans
import Notifiers
import TestSupport
import Testing

/// What a program that reads JSON answers, and what then counts as delivered.
@Suite(.ownThread) struct AnswerTests {
  /// The places of three notices that count as delivered, with the failure if there was one.
  private func delivered(
    _ script: String, timeout: Duration = .seconds(60), count: Int = 3
  ) throws -> (places: [Int], failure: String?, code: NotifierError.Code?) {
    let fake = try FakeProgram("cat > /dev/null; \(script)")
    do throws(NotifierError) {
      try fake.notifier(timeout: timeout).sendAll((0..<count).map { reminder("Book \($0)") })
      return (Array(0..<count), nil, nil)
    } catch {
      let words = error.message.replacing("exec:\(fake.path) ", with: "")
      return (error.delivered, words, error.code)
    }
  }

  @Test(arguments: [
    ("echo ok 0; echo ok 2", [0, 2], "printed ok for 2 of 3 notices; "),
    ("echo ok 2; echo ok 0; echo ok 2", [0, 2], "printed ok for 2 of 3 notices; "),
    ("echo ok 1; exit 3", [1], "failed with exit status 3; "),
    ("echo ok 1; echo 'no user' >&2; exit 3", [1], "failed with exit status 3: no user; "),
    ("echo ok 1; kill -KILL $$", [1], "was ended by signal 9; "),
    ("echo ok 1; echo ok 99; echo ok -1; echo ok 0x0; echo ok", [1], "printed ok for 1 of 3"),
    ("echo OK 0; echo ok0; echo 'ok 0 1'; echo ' ok 2 '", [2], "printed ok for 1 of 3"),
    ("printf 'ok 0\\r\\nok 2'", [0, 2], "printed ok for 2 of 3 notices; "),
    ("printf 'ok 0\\nok 2'; exit 1", [0], "failed with exit status 1; "),
    ("exit 1", [], "failed with exit status 1; "),
  ])
  func `Exactly what it answers for counts, whatever its status`(
    script: String, places: [Int], words: String
  ) throws {
    let result = try delivered(script)
    #expect(result.places == places)
    #expect(result.failure?.hasPrefix(words) == true, "\(result.failure ?? "")")
    #expect(result.code == .failed)
  }

  @Test(arguments: [
    "exit 0", "echo done", "echo ok 3", "echo ok 99999999999999999999",
    "echo ok 0; echo ok 1; echo ok 2; exit 3",
  ])
  func `With status 0 and no answer all were delivered, and with an answer for all too`(
    script: String
  ) throws {
    #expect(try delivered(script).failure == nil)
  }

  @Test func `What it answered before it was stopped counts`() throws {
    let result = try delivered(
      "echo ok 0; printf 'ok 2'; exec sleep 10000", timeout: .milliseconds(500))
    #expect(result.places == [0])
    #expect(result.code == .timedOut)
    #expect(result.failure?.hasPrefix("did not finish within 0.5 s and was stopped; ") == true)
  }

  @Test func `A thousand answers among a lot of output are read`() throws {
    let result = try delivered(
      """
      i=0
      while [ $i -lt 999 ]; do echo "ok $i"; echo "sent to $i"; i=$((i+1)); done
      head -c 10000000 /dev/zero; echo; echo ok 999; exit 3
      """, count: 1_000)
    #expect(result.failure == nil)
    let partly = try delivered(
      "i=0; while [ $i -lt 999 ]; do echo ok $i; i=$((i+1)); done", count: 1_000)
    #expect(partly.places == Array(0..<999))
  }
}
