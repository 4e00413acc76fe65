import CatalogueProperties
import LoanCatalogue
import LoanRules
import Loans
import TestSupport
import Testing

/// A document of another system, with the loans that a person finds in it.
struct SystemDocument: CustomTestStringConvertible {
  /// What it holds.
  enum Kind: String {
    case loans
    case none
    case errorAnswer = "error-answer"
    case notACatalogue = "not-a-catalogue"
    case unknown
  }

  var name: String
  var path: String
  var kind: Kind
  /// The name of its profile, if it has one.
  var profile: String?
  var loanDays: Int?
  /// One line for each loan, its fields separated by tabs.
  var loans: [String]

  var testDescription: String { name }

  /// All that are kept beside the sources.
  static let all: [SystemDocument] = {
    let directory = Fixture.directory("systems")
    return Files.names(in: directory).filter { $0.hasSuffix(".xml") }.sorted().map { file in
      SystemDocument(name: String(file.dropLast(4)), in: directory)
    }
  }()

  private init(name: String, in directory: String) {
    self.name = name
    path = "\(directory)/\(name).xml"
    let text = String(decoding: Files.bytes(of: "\(directory)/\(name).loans") ?? [], as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    loans = lines.filter { !$0.hasPrefix("#") }
    var notes: [String: String] = [:]
    for line in lines where line.hasPrefix("# ") {
      let parts = line.dropFirst(2).split(separator: ": ", maxSplits: 1)
      if parts.count == 2 { notes[String(parts[0])] = String(parts[1]) }
    }
    kind = notes["kind"].flatMap(Kind.init) ?? .loans
    profile = notes["profile"]
    loanDays = notes["loan-days"].flatMap { Int($0) }
  }

  /// A reader in Prague, where these documents are read.
  var reader: CatalogueReader { reader(CatalogueRules()) }

  /// The document, if it is in UTF-8.
  var text: String {
    Files.bytes(of: path).flatMap { String(validating: $0, as: UTF8.self) } ?? ""
  }

  func reader(_ rules: CatalogueRules) -> CatalogueReader {
    CatalogueReader(rules: rules, loanDays: loanDays, civilTime: { Prague.civilTime(at: $0) })
  }
}

extension Reading.Record {
  /// The record as a line of a document's expected loans.
  fileprivate var systemLine: String {
    let loan = loan
    return [
      "\(location.line)", self.loan(or: \.id), self.loan(or: \.title), self.loan(or: \.author),
      self.loan(or: \.borrower), self.loan(or: \.barcode), self.loan(or: \.isbn),
      loan.map { "\($0.expiration)" } ?? "-", loan?.expirationTime?.description ?? "-",
    ].joined(separator: "\t")
  }

  private func loan(or path: KeyPath<Loan, String?>) -> String {
    loan?[keyPath: path] ?? ""
  }
}

/// The documents in which other systems list loans are read as people read them.
struct SystemTests {
  private static let withLoans = SystemDocument.all.filter { $0.kind == .loans }

  @Test(arguments: withLoans)
  func `The loans are those that a person finds`(document: SystemDocument) throws {
    let reading = try document.reader.reading(of: document.path)
    let expected = document.loans.filter { !$0.hasSuffix("\t-\t-") }
    #expect(reading.records.filter { $0.loan != nil }.map(\.systemLine) == expected)
    #expect(reading.summary.profile == document.profile)
    #expect(reading.summary.isComplete)
  }

  /// As some programs write it that lay documents out anew.
  @Test(arguments: SystemDocument.all.filter { $0.text.hasPrefix("<") })
  func `White space around texts changes nothing`(document: SystemDocument) throws {
    let folder = try ScratchFolder()
    let plain = try document.reader.reading(ofText: document.text, in: folder)
    let spaced = document.text.replacing(#/>([^<>]*[^<>\s][^<>]*)<\//#) { ">\t \($0.output.1)  </" }
    let reading = try document.reader.reading(ofText: spaced, in: folder)
    #expect(reading.records.map(\.loan) == plain.records.map(\.loan))
    #expect(reading.diagnostics.map(\.message) == plain.diagnostics.map(\.message))
    #expect(reading.summary == plain.summary)
  }

  @Test func `A form is known although its prefix is not declared`() throws {
    let reading = try CatalogueReader().reading(
      ofText: """
        <n:NCIPMessage><n:LookupUserResponse><n:UserId/><n:LoanedItem>
        <n:DateDue>2026-12-01</n:DateDue></n:LoanedItem></n:LookupUserResponse></n:NCIPMessage>
        """)
    #expect(reading.summary.profile == "ncip2")
    #expect(reading.records.map(\.loan?.expiration) == [CivilDate(year: 2026, month: 12, day: 1)])
  }

  @Test func `What comes after a fault does not change the form`() throws {
    let reading = try CatalogueReader().reading(
      ofText: """
        <NCIPMessage><LookupUserResponse><UserTransaction><LoanedItem>
        <UniqueItemId><ItemIdentifierValue>7</ItemIdentifierValue></UniqueItemId>
        <DateDue>2026-12-01</DateDue></LoanedItem></UserTransaction>
        <UserTransaction><LoanedItem></UniqueItemId></LoanedItem>
        <LoanedItem/></UserTransaction></LookupUserResponse></NCIPMessage>
        """)
    #expect(reading.summary.profile == "ncip1")
    #expect(reading.findings == ["1:51 missing-title", "4:45 malformed-xml"])
    #expect(reading.records.map(\.loan?.id) == ["7"])
  }

  @Test func `A text that is cut off is not taken for a whole one`() throws {
    let reading = try CatalogueReader().reading(
      ofText: """
        <GetPatronInfo><firstname>Anna</firstname><loans><loan><itemnumber>8</itemnumber>
        <title>A</title><date_due>2026-12-24</date_due></loan></loans><surname>Nov
        """)
    #expect(reading.records.map(\.loan?.borrower) == ["Anna"])
    #expect(reading.diagnostics.map(\.code) == [.malformedXML])
  }

  /// Records without expiration tell nothing but where they are.
  @Test(arguments: withLoans)
  func `A loan without expiration is seen, too`(document: SystemDocument) throws {
    let reader = document.reader(CatalogueRules(requiresExpiration: true))
    let reading = try reader.reading(of: document.path)
    let lacksDays = reading.diagnostics.contains { $0.code == .missingLoanDays }
    let lines =
      lacksDays
      ? reading.records.filter { $0.expiration == .unusable }.map(\.location.line)
      : reading.diagnostics.filter { $0.code == .missingExpiration }.map(\.location.line)
    let expected = document.loans.filter { $0.hasSuffix("\t-\t-") }
      .compactMap { $0.split(separator: "\t").first.flatMap { Int($0) } }
    #expect(lines == expected)
  }

  @Test(arguments: SystemDocument.all.filter { $0.kind == .none })
  func `A document without loans says so`(document: SystemDocument) throws {
    let reading = try document.reader.reading(of: document.path)
    #expect(reading.records.filter { $0.loan != nil }.count == 0)
    if reading.summary.records == 0 {
      #expect(reading.diagnostics.map(\.code).contains(.noLoans))
    }
    #expect(reading.summary.profile == document.profile)
    #expect(reading.summary.isComplete)
  }

  @Test(arguments: SystemDocument.all.filter { $0.kind == .errorAnswer })
  func `An error answer is told as what it is`(document: SystemDocument) throws {
    let reading = try document.reader.reading(of: document.path)
    #expect(reading.diagnostics.map(\.code).filter { $0 != .httpHeaders } == [.errorAnswer])
    #expect(reading.summary.profile == document.profile)
    #expect(!reading.summary.isComplete)
  }

  @Test(arguments: SystemDocument.all.filter { $0.kind == .notACatalogue })
  func `What is no XML is told as what it is`(document: SystemDocument) throws {
    let reading = try document.reader.reading(of: document.path)
    #expect(reading.diagnostics.map(\.code).filter { $0 != .httpHeaders } == [.notACatalogue])
    #expect(!reading.summary.isComplete)
  }

  @Test(arguments: SystemDocument.all.filter { $0.kind == .unknown })
  func `An unknown form is not taken for a known one`(document: SystemDocument) throws {
    let reading = try document.reader.reading(of: document.path)
    #expect(reading.summary.profile == nil)
    #expect(reading.records.count == 0)
    let isEmpty = document.name == "error-empty-file"
    #expect(reading.diagnostics.map(\.code) == [isEmpty ? .malformedXML : .noLoans])
  }
}
