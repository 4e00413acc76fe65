import TestSupport
import Testing

/// `stale-after`.
struct StaleCatalogueTests {
  private static let late = "\"Abigél\" expired yesterday (2026.11.20)"
  private static let soon = "\"Az ajtó\" expires tomorrow (2026.11.22)"

  /// A desk whose catalogue was written three days ago, with a loan that has expired and one that will.
  private func desk() async throws -> Desk {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.20"), ("Az ajtó", "2026.11.22")))
    try await write("2026-11-18T07:00", desk)
    return desk
  }

  private func write(_ time: String, _ desk: Desk) async throws {
    #expect(try await desk.shell("touch -d \(time)Z books.xml").status == 0)
  }

  private func words(_ desk: Desk) -> String {
    """
    check-loans: \(desk.folder.path)/books.xml was last written 3 days ago, longer than stale-after \
    allows (36h); its expired notices are held; check its export, and that a newer file is \
    read
    """
  }

  @Test func `A catalogue that is too old accuses nobody, and its reminders go out`() async throws {
    let desk = try await desk()
    let arguments = ["--notify", "stdout", "books.xml"]
    let held = try await desk.run(["--stale-after", "36h"] + arguments)
    #expect(held.status == 65)
    #expect(held.lines == [Self.soon])
    #expect(
      held.errorLines == [
        words(desk),
        "check-loans: 1 notice through stdout is held until a newer catalogue is read",
      ])
    #expect(try await desk.pending() == ["Abigél"])
    try await write("2026-11-21T06:00", desk)
    #expect(
      try await desk.run(["--stale-after", "36h"] + arguments).outcome
        == Outcome(0, output: Self.late + "\n"))
  }

  @Test func `Without the setting a catalogue may be old`() async throws {
    let desk = try await desk()
    let result = try await desk.run("--notify", "stdout", "books.xml")
    #expect(result.outcome == Outcome(0, output: "\(Self.late)\n\(Self.soon)\n"))
  }

  @Test func `A look says it, with a schedule or without one`() async throws {
    let desk = try await desk()
    for arguments in [[], ["--state", "none"], ["--dry-run"]] {
      let result = try await desk.run(["--stale-after", "36h", "books.xml"] + arguments)
      #expect(result.status == 65)
      #expect(result.errorLines == [words(desk)])
      #expect(result.lines.first == Self.late)
    }
    let piped = try await desk.shell("\"$0\" --state none --stale-after 1h - < books.xml")
    #expect(piped.status == 0 && piped.errorText == "", "standard input has no age")
  }

  @Test func `A rehearsal leaves out what would be held`() async throws {
    let desk = try await desk()
    let result = try await desk.run(
      "--dry-run", "--notify", "notify-send", "--stale-after", "36h", "books.xml")
    #expect(result.status == 65)
    #expect(result.lines == ["would deliver through notify-send: \(Self.soon)"])
    #expect(result.errorLines.last?.hasSuffix("is held until a newer catalogue is read") == true)
  }

  @Test func `deliver, status and explain go by the catalogue's own age`() async throws {
    let desk = try await desk()
    try await desk.run("--notify", "exec:/nowhere/tell", "books.xml")
    try desk.writeSettings(
      """
      stale-after = "4w"
      [[catalogue]]
      path = "\(desk.folder.path)/books.xml"
      stale-after = "36h"
      """)
    let delivered = try await desk.run("deliver", "--notify", "stdout")
    #expect(delivered.status == 65)
    #expect(delivered.lines == [Self.soon])
    #expect(delivered.errorLines.first == words(desk))
    let status = try await desk.run("status")
    #expect(status.status == 1)
    #expect(status.errorLines.first == words(desk))
    let json = try JSON(parsing: try await desk.run("status", "--format", "json").text)
    #expect(json.catalogues[0].ok == .bool(false))
    let explained = try await desk.run("schedule", "explain", "Abigél")
    #expect(explained.errorLines == [words(desk)])
    #expect(
      explained.lines.suffix(2) == [
        """
        Next: no run with --notify exec:/nowhere/tell delivers the expired notice until a \
        newer file of the catalogue is read.
        """, "Reason: stale-catalogue",
      ])
    #expect(try await desk.run("schedule", "explain", "Az ajtó").errorText == "")
    #expect(try await desk.run("status", "--stale-after", "4d").errorLines.first != words(desk))
  }

  @Test func `The time of the file is said with the reading`() async throws {
    let desk = try await desk()
    let result = try await desk.run("-v", "books.xml")
    #expect(
      result.errorLines.contains(
        "check-loans: books.xml: last written 2026-11-18 at 07:00 (UTC+00:00)"))
  }
}
