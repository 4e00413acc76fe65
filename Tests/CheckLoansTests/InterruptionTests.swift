import TestSupport
import Testing

/// Signals while notices are delivered, and channels that fail beside others.
struct InterruptionTests {
  private func desk() throws -> Desk {
    var desk = try Desk(
      catalogue: catalogue(
        ("First", "2026.11.01"), ("Second", "2026.11.20"), ("Third", "2026.11.21")))
    desk.environment["PATH"] = "\(desk.folder.path):/usr/bin:/bin"
    return desk
  }

  /// Puts a program in the place of notify-send that notes the beginning and the end of each call.
  ///
  /// - Parameter signal: what it sends to the run in between: a busy test could be too late for that.
  private func install(_ desk: Desk, signal: String? = nil) throws {
    try desk.folder.write(
      program: """
        #!/bin/sh
        for last; do title=$summary; summary=$last; done
        echo "begin $title" >> "$HOME/told"
        \(signal.map { "kill -\($0) $PPID; sleep 0.5" } ?? ":")
        echo "end $title" >> "$HOME/told"
        """, to: "notify-send")
  }

  @Test(arguments: [("TERM", 143), ("INT", 130), ("HUP", 129)])
  func `A signal ends the run after the notice in flight`(signal: String, status: Int) async throws
  {
    let desk = try desk()
    try install(desk, signal: signal)
    // A shell without job control starts background jobs with SIGINT ignored.
    let result = try await desk.shell(
      """
      /usr/bin/python3 -c 'import os,signal,sys
      for number in signal.SIGINT, signal.SIGHUP: signal.signal(number, signal.SIG_DFL)
      os.execv(sys.argv[1], sys.argv[1:])' "$0" --notify notify-send books.xml &
      wait $!
      echo $?
      """)
    #expect(result.text == "\(status)\n")
    #expect(result.errorText.contains("check-loans: stopping; 2 notices stay pending\n"))
    #expect(
      desk.folder.contents(of: "told") == """
        begin “First” is 20 days overdue
        end “First” is 20 days overdue

        """)
    try install(desk)
    #expect(try await desk.run("--notify", "notify-send", "books.xml").outcome == Outcome(0))
    let told = desk.folder.contents(of: "told").split(separator: "\n")
    #expect(told.filter { $0.hasPrefix("end") }.count == 3, "each once, although interrupted")
  }

  @Test(arguments: [("TERM", "TERM"), ("INT", "INT"), ("INT", "TERM"), ("TERM", "INT")])
  func `A second signal ends the run at once, and what it runs`(
    first: String, second: String
  ) async throws {
    let desk = try desk()
    try desk.folder.write(
      program: """
        #!/bin/sh
        trap '' TERM
        sleep 60 &
        echo begin >> "$HOME/told"
        sleep 60
        """, to: "notify-send")
    // A process of its own keeps to its times, however busy the tests are.
    let result = try await desk.shell(
      """
      /usr/bin/python3 -c 'import os, signal, subprocess, sys, time
      run = subprocess.Popen([sys.argv[1], "--notify", "notify-send", "books.xml"])
      while not os.path.exists("told"): time.sleep(0.01)
      run.send_signal(signal.SIG\(first))
      # The next one must not come as long as this one waits to be taken.
      def waits(): return int(open(f"/proc/{run.pid}/status").read().split("ShdPnd:")[1].split()[0], 16)
      while waits(): time.sleep(0.01)
      run.send_signal(signal.SIG\(second))
      print(signal.Signals(-run.wait()).name)' "$0"
      """)
    #expect(result.text == "SIG\(second)\n")
    try await desk.expectNothingRunning()
    #expect(try await desk.pending().count == 3)
  }

  @Test func `An ignored signal stays ignored`() async throws {
    let desk = try desk()
    try install(desk, signal: "INT")
    let result = try await desk.shell(
      """
      trap '' INT
      "$0" --notify notify-send books.xml
      echo $?
      """)
    #expect(result.outcome == Outcome(0, output: "0\n"))
    #expect(desk.folder.contents(of: "told").split(separator: "\n").count == 6)
  }

  @Test func `A channel that fails keeps none of the others from delivering`() async throws {
    let desk = try desk()
    try install(desk)
    let result = try await desk.run(
      "--notify", "stdout", "--notify", "notify-send", "books.xml", output: .file("/dev/full"))
    #expect(
      result.outcome
        == Outcome(
          74,
          errors: """
            check-loans: cannot write to standard output: No space left on device; 3 notices stay \
            pending

            """))
    #expect(desk.folder.contents(of: "told").split(separator: "\n").count == 6)
    #expect(
      try await desk.run("--notify", "notify-send", "--notify", "stdout", "books.xml").lines.count
        == 3)
    #expect(desk.folder.contents(of: "told").split(separator: "\n").count == 6)
  }

  @Test func `Programs whose names only Unicode takes for equal are two`() async throws {
    let desk = try desk()
    let names = ["s\u{E9}", "se\u{301}"]
    for name in names {
      try desk.folder.write(
        program: "#!/bin/sh\ncat > /dev/null; echo told >> \"$HOME/told\"\n", to: name)
    }
    let result = try await desk.run(
      ["books.xml"] + names.flatMap { ["--notify", "exec:\(desk.folder.path)/\($0)"] })
    #expect(result.outcome == Outcome(0))
    #expect(desk.folder.contents(of: "told") == "told\ntold\n")
  }

  @Test func `Every channel is tried although the first is not there`() async throws {
    var desk = try desk()
    desk.environment["PATH"] = desk.folder.path
    let result = try await desk.run(
      "--notify", "notify-send", "--notify", "stdout", "books.xml")
    #expect(result.status == 69)
    #expect(result.lines.count == 3)
    #expect(result.errorLines.count == 1)
  }
}

/// Readers that take nothing for a while.
struct StalledReaderTests {
  private static let many = catalogue((1...3_000).map { ("Book \($0)", "2026.11.20") })

  @Test func `A report that nobody reads on keeps no other run waiting`() async throws {
    let desk = try Desk(catalogue: Self.many)
    let result = try await desk.shell(
      """
      mkfifo pipe
      "$0" books.xml > pipe &
      exec 3< pipe
      head -c 1000 <&3 > /dev/null
      "$0" --notify stdout books.xml | wc -l
      cat <&3 > /dev/null
      wait $!
      """)
    #expect(result.outcome == Outcome(0, output: "3000\n"))
  }

  @Test func `A signal ends a run whose notices nobody reads`() async throws {
    let desk = try Desk(catalogue: Self.many)
    let result = try await desk.shell(
      """
      mkfifo pipe
      "$0" --notify stdout books.xml > pipe 2> errors &
      exec 3< pipe
      head -c 1000 <&3 > read
      sleep 0.5
      kill -TERM $!
      wait $! 2> /dev/null
      echo $?
      cat <&3 >> read
      "$0" --notify stdout books.xml >> read
      sort read | uniq -c | awk '$1 > 1' | wc -l
      sort -u read | grep -c '^"Book [0-9]*" expired yesterday (2026.11.20)$'
      """)
    let lines = result.lines
    #expect(lines.first == "143")
    #expect(lines.last == "3000", "none lost")
    #expect(lines.dropFirst().first == "0", "and none told twice but the one cut off in the middle")
    #expect(
      desk.folder.contents(of: "errors").hasPrefix("check-loans: stopping; ") == true)
  }
}
