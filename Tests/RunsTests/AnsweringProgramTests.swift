import TestSupport
import Testing

/// A program that answers which notices it has sent, through the whole command.
struct AnsweringProgramTests {
  private static let books = (1...15).map { (title: "Book \($0)", expiration: "2026.11.22") }

  /// A program that notes titles in `sent`, and says so, until what it is told happens.
  private func desk(_ script: String) throws -> Desk {
    let desk = try Desk(catalogue: catalogue(Self.books.map { ($0.title, $0.expiration) }))
    try desk.folder.write(
      program: """
        #!/bin/sh
        jq -r '.notices[].loan.title' | {
          index=0
          while read -r title; do
            \(script)
            echo "$title" >> ~/sent
            echo "ok $index"
            index=$((index + 1))
          done
        }

        """, to: "tell")
    return desk
  }

  private func sent(_ desk: Desk) -> [String] {
    desk.folder.contents(of: "sent").split(separator: "\n").map(String.init)
  }

  @Test func `One that is too slow goes on in the next run where it was stopped`() async throws {
    let desk = try desk("[ $index = 8 ] && exec sleep 10000")
    let run = ["--notify", "exec:./tell", "--exec-timeout", "2", "books.xml"]
    #expect(try await desk.run(run).ends(69, saying: "; 7 notices stay pending"))
    #expect(sent(desk) == Self.books.prefix(8).map(\.title))
    #expect(try await desk.pending() == Self.books.dropFirst(8).map(\.title))
    #expect(try await desk.run(run).outcome == Outcome(0))
    #expect(sent(desk) == Self.books.map(\.title), "each once")
    #expect(try await desk.run(run).outcome == Outcome(0))
    #expect(sent(desk).count == 15)
  }

  @Test func `What it could not send stays pending, and only that`() async throws {
    let desk = try desk(
      "[ -e ~/full ] && [ $((index % 2)) = 0 ] && { index=$((index + 1)); continue; }")
    try desk.folder.write("", to: "full")
    let run = ["--notify", "exec:./tell", "books.xml"]
    #expect(try await desk.run(run).ends(69, saying: "printed ok for 7 of 15 notices; "))
    #expect(sent(desk).count == 7)
    try desk.folder.remove("full")
    #expect(try await desk.run(run).outcome == Outcome(0))
    #expect(Set(sent(desk)) == Set(Self.books.map(\.title)))
    #expect(sent(desk).count == 15, "each once")
  }
}
