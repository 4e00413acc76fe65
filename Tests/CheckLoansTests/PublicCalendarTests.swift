import Loans
import TestSupport
import Testing

@testable import CheckLoans
@testable import CommandOutput
@testable import Settings

/// The days of calendars, held against those of the Python library recurring_ical_events.
@Suite(.enabled(if: PublicTools.areWanted, "\(PublicTools.hint)"))
struct PublicCalendarTests {
  static let folder = testVariable("CHECK_LOANS_CALENDARS")

  @Test func `The holidays of many countries are closed days`() async throws {
    #expect(try await compare("countries") > 20)
  }

  /// Days whose end is their beginning are one day, as docs/notices.md has it.
  @Test(arguments: 1...10)
  func `Recurring events are on the days that another library has, and last a day at least`(
    seed: Int
  ) async throws {
    #expect(try await compare("random", "\(seed)") == 40)
  }

  @Test(.enabled(if: folder != nil, "CHECK_LOANS_CALENDARS does not name a folder of calendars"))
  func `Calendars of a folder have the days that another library has`() async throws {
    let folder = try #require(Self.folder)
    #expect(try await compare("read", in: folder) > 0)
  }

  /// Compares all calendars of a kind that the tool writes or reads.
  ///
  /// - Returns: how many there are.
  private func compare(_ kind: String, _ seed: String = "", in folder: String? = nil) async throws
    -> Int
  {
    let desk = try Desk()
    let folder = folder ?? desk.folder.path
    let tool = "\(projectDirectory)/Tests/CheckLoansTests/Tools/calendars.py"
    let result = try await PublicTools.run(tool, kind, folder, seed, directory: desk.folder.path)
    try #require(result.status == 0, "\(result.errorText)")
    let expected = try JSON(parsing: result.text)
    for name in expected.keys {
      let days = try await closedDays(desk, "\(folder)/\(name)")
      let wanted = expected[name].elements.compactMap(\.text)
      #expect(days == wanted, "\(name): \(days.difference(from: wanted))")
    }
    return expected.keys.count
  }

  private func closedDays(_ desk: Desk, _ calendar: String) async throws -> [String] {
    let result = try await desk.run(
      "closed", "--closed-calendars", calendar, "--from", "2026-01-01", "--to", "2027-12-31",
      "--format", "json")
    try #require(result.status == 0, "\(result.errorText)")
    return try JSON(parsing: result.text).closed.elements.flatMap { run in
      let first = try CivilDate.parse(run.from.text ?? "")
      let last = try CivilDate.parse(run.to.text ?? "")
      return (0...first.days(until: last)).map { "\(first.adding(days: $0))" }
    }
  }
}
