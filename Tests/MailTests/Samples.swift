import Loans
import Mail
import TestSupport
import Testing

/// A day of November 2026.
func sampleDay(_ day: Int) throws -> CivilDate {
  try #require(CivilDate(year: 2026, month: 11, day: day))
}

/// Seven in the morning of 21 November 2026.
func sampleTime() throws -> CivilDateTime {
  try #require(CivilDateTime(iso: "2026-11-21T07:00:00"))
}

/// A message from the desk to Kate, in an hour's distance from Greenwich.
func sampleMessage(subject: String = "2 books", text: String = "Hello\n") throws -> MailMessage {
  var message = MailMessage(
    from: try Mailbox("Városi Könyvtár <desk@example.org>"),
    to: try Mailbox("Kate <kate@example.org>"), subject: subject, date: try sampleTime(),
    id: MessageID(
      about: [], to: "kate@example.org", on: try sampleDay(21), domain: "example.org"),
    language: "en", text: text)
  message.utcOffset = 3_600
  return message
}

extension MailMessage {
  /// The message as text.
  var contents: String { String(decoding: bytes, as: UTF8.self) }

  /// The lines of its header.
  var header: [String] {
    contents.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
      .map(String.init)
  }
}

/// The folder of these tests.
let ownFolder = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }

/// Where Python is, for those tests that hold a result against its library.
let python = "/usr/bin/python3"

/// Runs a program to its end in a folder.
func run(_ program: String, _ arguments: String..., in folder: ScratchFolder) async throws
  -> CommandResult
{
  let environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "LC_ALL": "C.UTF-8"]
  return try await Command(
    program, arguments, environment: environment, directory: folder.path
  ).run()
}
