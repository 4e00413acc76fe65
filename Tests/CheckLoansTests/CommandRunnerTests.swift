import TestSupport
import Testing

/// The tools that the tests of the command rely on.
struct CommandRunnerTests {
  private func shell(_ line: String, _ change: (inout Command) -> Void = { _ in }) async throws
    -> CommandResult
  {
    var command = Command(
      "/bin/sh", ["-c", line], environment: ["PATH": "/usr/bin:/bin", "A": "b c"],
      directory: "/usr/share")
    change(&command)
    return try await command.run()
  }

  @Test func `A program gets its arguments, environment, directory and input`() async throws {
    let result = try await shell("pwd; echo $A; cat; env | grep -c =; echo no >&2; exit 7") {
      $0.input = .text("in")
    }
    #expect(result.outcome == Outcome(7, output: "/usr/share\nb c\nin3\n", errors: "no\n"))
  }

  @Test func `A signal is no exit status`() async throws {
    #expect(try await shell("kill -9 $$").ending == .signaled(9))
  }

  @Test func `A program that has no end is killed with its children`() async throws {
    let result = try await shell("sleep 1000 & echo $!; wait") { $0.deadline = .seconds(1) }
    #expect(result.ending == .deadlinePassed)
    #expect(result.elapsed > .seconds(1))
    let child = try #require(result.lines.first)
    // Whoever inherited the child may take a moment to notice its end.
    let state = try await shell(
      "for i in $(seq 200); do kill -0 \(child) 2>/dev/null || exit 0; sleep 0.05; done; exit 1")
    #expect(state.status == 0)
  }

  @Test func `Descriptors are closed that shall be, and no others are open`() async throws {
    let all = try await shell("ls /proc/$$/fd")
    #expect(all.lines == ["0", "1", "2"])
    let script = "for i in 0 1 2 3; do [ -e /proc/$$/fd/$i ] && n=$n$i; done; echo $n >&2"
    let some = try await shell(script) {
      $0.input = .closed
      $0.output = .closed
    }
    #expect(some.errorLines == ["2"])
  }

  @Test func `A pipe without reader is one`() async throws {
    let result = try await shell("trap '' PIPE; exec /bin/echo x") { $0.output = .brokenPipe }
    #expect(result.status == 1)
    #expect(result.errorText.contains("Broken pipe"))
    #expect(try await shell("exec echo x") { $0.output = .file("/dev/full") }.status == 1)
  }

  @Test(.enabled(if: Command.canMeasureMemory, "needs python3"))
  func `The peak of memory is the program's own`() async throws {
    let small = try await shell("exit 3") { $0.measuresMemory = true }
    #expect(small.status == 3)
    let large = try await shell("exec head -c 100000000 /dev/zero | tail -c 100000000 | wc -c") {
      $0.measuresMemory = true
    }
    #expect(large.text == "100000000\n")
    #expect(try #require(small.peakMemory) < 20_000_000)
    #expect(try #require(large.peakMemory) > 100_000_000)
  }
}

/// The JSON reader that the tests rely on.
struct StrictJSONTests {
  @Test func `A document is read with its keys in order`() throws {
    let text = #" {"b":[1,-20,true,null,{}],"a":"\u00e1\ud83d\ude00\"\\\n","":[]} "#
    let json = try JSON(parsing: text)
    #expect(
      json == ["b": [1, -20, true, nil, [:]], "a": "á😀\"\\\n", "": []])
    #expect(json.keys == ["b", "a", ""])
    #expect(json.b[1].number == -20)
    #expect(json.nothing == nil)
  }

  @Test(arguments: [
    "", "{", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "01", "-", "1 2", "\"\u{1}\"", "\"\n\"",
    #""\x""#, #""\ud83d""#, #""\u00g0""#, "nul", "'a'", "{a:1}", "\"a", "[1 2]", "{}{}", "1.5",
  ])
  func `What is no JSON is refused`(text: String) {
    #expect(throws: JSON.Failure.self) { try JSON(parsing: text) }
  }
}
