import CatalogueProperties
import LoanCatalogue
import LoanRules
import Loans
import Testing

/// The catalogues that are kept as files beside the sources.
struct Fixture: CustomTestStringConvertible {
  var name: String
  var path: String
  /// One line for each diagnostic, or `nil` if there is no such file.
  var expected: [Substring]?

  var testDescription: String { name }

  static let valid = all(in: "valid")
  static let invalid = all(in: "invalid")

  static func named(_ name: String) -> Fixture? {
    (valid + invalid).first { $0.name == name }
  }

  static func directory(_ name: String) -> String {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(3)
    return "\(parts.joined(separator: "/"))/Fixtures/\(name)"
  }

  private static func all(in name: String) -> [Fixture] {
    let directory = directory(name)
    return Files.names(in: directory).filter { $0.hasSuffix(".xml") }.map { file in
      let stem = "\(directory)/\(file.dropLast(4))"
      return Fixture(
        name: String(file.dropLast(4)), path: "\(stem).xml",
        expected: Files.bytes(of: "\(stem).expected").map {
          String(decoding: $0, as: UTF8.self).split(separator: "\n")
        })
    }
  }

  /// A reader as `check-loans validate` uses it.
  func reader() -> CatalogueReader {
    var rules = CatalogueRules.all
    rules.requiresExpiration = name.hasPrefix("missing-expiration")
    if name.hasPrefix("distant-expiration"),
      let today = CivilDate(year: 2026, month: 11, day: 21)
    {
      rules.expiration = { ExpirationRule.judge($0, today: today, atMost: 3_650) }
    }
    return CatalogueReader(
      rules: rules, civilTime: { Prague.civilTime(at: $0) })
  }
}

/// What a diagnostic is in an `.expected` file: `9:17: error: the message [date-format]`.
///
/// A number that depends on the version of libxml2 is written `?`, and a message that comes from
/// libxml2 is left out.
func line(_ diagnostic: Diagnostic, as expected: Substring) -> String {
  let places = expected.split(separator: ":", maxSplits: 2)
  let line = places.first == "?" ? "?" : "\(diagnostic.location.line)"
  let column = places.dropFirst().first == "?" ? "?" : "\(diagnostic.location.column)"
  let code = "[\(diagnostic.code.rawValue)]"
  let severity = SeverityPolicy().severity(of: diagnostic)?.rawValue ?? "ignored"
  let hasMessage = !expected.hasSuffix("\(severity): \(code)")
  let message = hasMessage ? "\(diagnostic.message) " : ""
  return "\(line):\(column): \(severity): \(message)\(code)"
}

struct FixtureTests {
  @Test func `The fixtures are there`() {
    #expect(Fixture.valid.count >= 60)
    #expect(Fixture.invalid.count >= 190)
    let names = Files.names(in: Fixture.directory("invalid")).filter { $0.hasSuffix(".expected") }
    #expect(names == Fixture.invalid.map { "\($0.name).expected" })
  }

  @Test(arguments: Fixture.valid)
  func `A valid catalogue gives no diagnostic`(fixture: Fixture) throws {
    let reading = try fixture.reader().reading(of: fixture.path)
    #expect(reading.diagnostics == [])
    #expect(reading.summary.isComplete)
    #expect(reading.summary.isKnownForm)
    #expect(reading.summary.records > 0)
    #expect(reading.summary.loans + reading.summary.onShelf == reading.summary.records)
  }

  @Test(arguments: Fixture.invalid)
  func `A defect gives exactly the diagnostics written beside it`(fixture: Fixture) throws {
    let expected = try #require(fixture.expected)
    let reading = try fixture.reader().reading(of: fixture.path)
    let lines = reading.diagnostics.enumerated().map { index, diagnostic in
      line(diagnostic, as: index < expected.count ? expected[index] : "")
    }
    #expect(lines == expected.map(String.init))
  }

  @Test(arguments: Fixture.invalid)
  func `A diagnostic is one harmless line that begins in lower case`(fixture: Fixture) throws {
    for diagnostic in try fixture.reader().reading(of: fixture.path).diagnostics {
      let message = diagnostic.message
      #expect(message == message.visible)
      #expect(!message.isEmpty && !message.hasSuffix(".") && message.count < 400)
      #expect(message.first?.isUppercase == false || message.hasPrefix("ISBN "))
    }
  }

  @Test(arguments: Fixture.valid + Fixture.invalid)
  func `The summary counts what was handed over`(fixture: Fixture) throws {
    let reading = try fixture.reader().reading(of: fixture.path)
    let summary = reading.summary
    let severities = reading.diagnostics.map(\.severity)
    #expect(summary.errors == severities.count { $0 == .error })
    #expect(summary.warnings == severities.count { $0 == .warning })
    #expect(summary.records == reading.records.count)
    #expect(
      summary.onShelf + summary.withoutExpiration
        == reading.records.count { $0.expiration == .none })
    #expect(summary.loans == reading.records.count { $0.loan != nil })
    let ending: [Diagnostic.Code] = [
      .malformedXML, .externalEntity, .declaredText, .unsupportedEncoding, .notACatalogue,
      .errorAnswer, .unknownBorrower,
    ]
    #expect(summary.isComplete == !reading.diagnostics.contains { ending.contains($0.code) })
  }

  @Test(arguments: Fixture.valid + Fixture.invalid)
  func `Diagnostics come in the order of their places`(fixture: Fixture) throws {
    // What only the end says comes last.
    let found = try fixture.reader().reading(of: fixture.path).diagnostics
    let places = found.filter { $0.code != .noLoans }.map(\.location)
    #expect(places == places.sorted())
  }
}
