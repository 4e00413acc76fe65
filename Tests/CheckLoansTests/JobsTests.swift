import TestSupport
import Testing

/// A large catalogue is read in parts, by as many threads as are asked for.
struct JobsTests {
  private let desk: Desk

  init() throws {
    desk = try Desk()
    var text = "<books>\n"
    for number in 0..<40_000 {
      let id = number % 4_000 == 17 ? "7" : "\(number)"
      let date = number % 3_000 == 5 ? "2026.02.30" : "2026.1\(number % 3).1\(number % 7)"
      text += "<book id='\(id)'><title>A book of many &amp; more, \(number)</title>"
      text += "<author>Nobody in particular</author><barcode>\(1_000_000 - number)</barcode>"
      text += "<expiration>\(date)</expiration></book>\n"
      if number % 5_000 == 3 { text += "<!-- <book id='x'> --><expiration>2026.12.01</expiration>" }
    }
    try desk.folder.write(text + "</books>", to: "large.xml")
    try desk.folder.write(text + "</book></books>", to: "broken.xml")
  }

  @Test(arguments: ["large.xml", "broken.xml"])
  func `However many threads validate, they find the same`(name: String) async throws {
    let alone = try await desk.run("validate", "--jobs", "1", "--format", "json", name)
    #expect(alone.status == 1)
    for jobs in ["2", "3", "16"] {
      let together = try await desk.run("validate", "--jobs", jobs, "--format", "json", name)
      #expect(together.outcome == alone.outcome)
    }
  }

  @Test(arguments: ["large.xml", "broken.xml"])
  func `However many threads check, they report the same`(name: String) async throws {
    let arguments = ["check", "--now", "2026-11-21", "--format", "json", "--all"]
    let alone = try await desk.run(arguments + ["--no-state", "--jobs", "1", name])
    #expect(alone.status == 65)
    for jobs in ["2", "5"] {
      let together = try await desk.run(arguments + ["--no-state", "--jobs", jobs, name])
      #expect(together.outcome == alone.outcome)
    }
  }

  @Test func `The variable says how many threads read, too`() async throws {
    let result = try await desk.run(
      "--no-state", "large.xml", variables: ["CHECK_LOANS_JOBS": "0"])
    #expect(result.status == 78)
    #expect(result.errorText.contains("CHECK_LOANS_JOBS"))
  }
}
