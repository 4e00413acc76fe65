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
    case unknownBorrower = "unknown-borrower"
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

/// What an answer of NCIP says about the number of its loans.
struct CountedItems: CustomTestStringConvertible {
  /// The numbers by their status, or by a restriction.
  var counts: [(status: String?, count: Int)]
  /// How many loans are there.
  var loans: Int
  /// The kind of element that another answer has more of.
  var next: String?

  var testDescription: String { "\(counts.map(\.count)) \(loans) \(next ?? "")" }

  func document(version: Int) -> String {
    let counts = counts.map { status, count in
      let kind =
        status.map { "<CirculationStatus>\($0)</CirculationStatus>" }
        ?? "<ItemUseRestrictionType>In Library Use Only</ItemUseRestrictionType>"
      return """
        <LoanedItemsCount>\(kind)<LoanedItemCountValue>\(count)</LoanedItemCountValue></LoanedItemsCount>
        """
    }
    let loans = (0..<loans).map { number in
      """
      <LoanedItem><ItemId><ItemIdentifierValue>i\(number)</ItemIdentifierValue></ItemId>\
      <DateDue>2026-12-01T20:00:00Z</DateDue><Title>T\(number)</Title></LoanedItem>
      """
    }
    let holds = """
      <RequestedItemsCount><CirculationStatus>On Hold</CirculationStatus>\
      <RequestedItemCountValue>9</RequestedItemCountValue></RequestedItemsCount>
      """
    let all = (counts + loans + [holds]).joined()
    if version == 1 {
      let own = all.replacing("ItemId>", with: "UniqueItemId>")
      return """
        <NCIPMessage><LookupUserResponse><UniqueUserId/><UserTransaction>\(own)</UserTransaction>\
        </LookupUserResponse></NCIPMessage>
        """
    }
    let more = next.map { kind in
      """
      <Ext><w:SubsequentElementControl xmlns:w="http://oclc.org/WCL/ncip/2011/extensions">\
      <w:ElementType>\(kind)</w:ElementType><w:NextElement>2</w:NextElement>\
      </w:SubsequentElementControl></Ext>
      """
    }
    return """
      <NCIPMessage xmlns="http://www.niso.org/2008/ncip"><LookupUserResponse><UserId/>\(all)\
      \(more ?? "")</LookupUserResponse></NCIPMessage>
      """
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

  /// What a system tells of a loan beside what most have: language, category, type, library, and
  /// whether it can be renewed.
  @Test(arguments: [
    (
      """
      <GetPatronInfo><lang>fr-CA</lang><categorycode>STAFF</categorycode><loans><loan>
      <itemnumber>8</itemnumber><title>A</title><itemtype>DVD</itemtype><renewals>0</renewals>
      <date_due>2026-12-24</date_due></loan></loans></GetPatronInfo>
      """, ["fr-CA", "STAFF", "DVD", nil, nil]
    ),
    (
      """
      <GetPatronInfo><lang>default</lang><loans><loan><itemnumber>8</itemnumber><title>A</title>
      <date_due>2026-12-24</date_due></loan></loans></GetPatronInfo>
      """, [nil, nil, nil, nil, nil]
    ),
    (
      """
      <item_loan><loan_id>7</loan_id><library desc="Main Library">MAIN</library><title>A</title>
      <user_group desc="Student">02</user_group><item_policy>DVD</item_policy>
      <renewable>false</renewable><due_date>2026-12-24Z</due_date></item_loan>
      """, [nil, "Student", "DVD", "Main Library", "no"]
    ),
    (
      """
      <item><item_data><pid>7</pid><due_date>2026-12-24Z</due_date><library>MAIN</library>
      <policy desc="Week loan">07</policy></item_data><bib_data><title>A</title></bib_data></item>
      """, [nil, nil, "Week loan", "MAIN", nil]
    ),
    (
      """
      <NCIPMessage xmlns="http://www.niso.org/2008/ncip"><LookupUserResponse><LoanedItem>
      <DateDue>2026-12-24</DateDue><Title>A</Title><MediumType>Book</MediumType>
      <Ext><RenewalNotPermitted/></Ext></LoanedItem><UserOptionalFields>
      <UserLanguage>deu</UserLanguage></UserOptionalFields></LookupUserResponse></NCIPMessage>
      """, ["deu", nil, "Book", nil, "no"]
    ),
    (
      """
      <NCIPMessage xmlns="http://www.niso.org/2008/ncip"><LookupUserResponse><LoanedItem>
      <DateDue>2026-12-24</DateDue><Title>A</Title><Ext><DateCheckedOut>2026-12-01</DateCheckedOut>
      </Ext></LoanedItem></LookupUserResponse></NCIPMessage>
      """, [nil, nil, nil, nil, nil]
    ),
    (
      """
      <NCIPMessage><LookupUserResponse><UniqueUserId/><UserTransaction><LoanedItem>
      <UniqueItemId><ItemIdentifierValue>7</ItemIdentifierValue></UniqueItemId>
      <DateDue>2026-12-24</DateDue></LoanedItem></UserTransaction><UserOptionalFields>
      <UserLanguage><Scheme>s</Scheme><Value>deu</Value></UserLanguage></UserOptionalFields>
      </LookupUserResponse></NCIPMessage>
      """, ["deu", nil, nil, nil, nil]
    ),
    (
      """
      <response><reply-code>0</reply-code><loans><institution><loan canRenew="Y"><itemId>7</itemId>
      <dueDate>2026-12-24</dueDate><title>A</title><itemtype>normal</itemtype></loan>
      </institution></loans></response>
      """, [nil, nil, "normal", nil, "yes"]
    ),
    (
      """
      <get-pat-loan><loan renew="N"><z36><z36-due-date>20261224</z36-due-date>
      <z36-material>BOOK</z36-material><z36-sub-library>Hovedbibl.</z36-sub-library></z36>
      <z13><z13-title>A</z13-title></z13></loan></get-pat-loan>
      """, [nil, nil, "BOOK", "Hovedbibl.", "no"]
    ),
    (
      """
      <record xmlns="http://www.loc.gov/MARC21/slim"><datafield tag="245"><subfield code="a">A
      </subfield></datafield><datafield tag="952"><subfield code="p">7</subfield>
      <subfield code="q">2026-12-24</subfield><subfield code="y">DVD</subfield></datafield></record>
      """, [nil, nil, "DVD", nil, nil]
    ),
  ])
  func `A system's loan tells all that is known of it`(text: String, known: [String?]) throws {
    let reading = try CatalogueReader().reading(ofText: text)
    let loan = try #require(reading.records.first?.loan)
    let renewable = loan.renewable.map { $0 ? "yes" : "no" }
    #expect([loan.language, loan.category, loan.type, loan.library, renewable] == known)
  }

  /// Which of the two days counts if a loan was recalled, and what is said of its book.
  @Test(arguments: [
    (
      aleph("<z36-recall-date>20261118</z36-recall-date>", recallDue: "20261126"), "2026.11.26",
      "recalled"
    ),
    (
      aleph("<z36-recall-date>20261118</z36-recall-date>", recallDue: "20261224"), "2026.12.20",
      "recalled"
    ),
    (
      aleph("<z36-recall-date>20261118</z36-recall-date>", recallDue: "00000000"), "2026.12.20",
      "recalled"
    ),
    (
      aleph("<z36-recall-date>00000000</z36-recall-date>", recallDue: "20261126"), "2026.12.20", nil
    ),
    (aleph("<z36-recall-date/>", recallDue: ""), "2026.12.20", nil),
    (aleph("<z36-status>L</z36-status>"), "2026.12.20", "lost"),
    (aleph("<z36-status>C</z36-status>"), "2026.12.20", "claimed-returned"),
    (aleph("<z36-status>A</z36-status>"), "2026.12.20", nil),
    (alma("<process_status>NORMAL</process_status>"), "2026.12.20", nil),
    (alma("<process_status>LOST</process_status>"), "2026.12.20", "lost"),
    (alma("<process_status>CLAIMED_RETURN</process_status>"), "2026.12.20", "claimed-returned"),
    (alma("<process_status>RECALL</process_status>"), "2026.12.20", "recalled"),
    (voyager("Recall Request"), "2026.12.20", "recalled"),
    (voyager("Claims Returned"), "2026.12.20", "claimed-returned"),
    (voyager("Lost--System Applied"), "2026.12.20", "lost"),
    (voyager("Charged"), "2026.12.20", nil),
    (koha("<itemlost>2</itemlost>"), "2026.12.20", "lost"),
    (koha("<itemlost>0</itemlost>"), "2026.12.20", nil),
    (koha("<itemlost/>"), "2026.12.20", nil),
    (marc("<subfield code='1'>1</subfield>"), "2026.12.20", "lost"),
    (marc("<subfield code='1'>0</subfield>"), "2026.12.20", nil),
    (evergreen("Lost and Paid"), "2026.12.20", "lost"),
    (evergreen("Checked out"), "2026.12.20", nil),
    (ncip("Claimed Returned Or Never Borrowed"), "2026.12.20", "claimed-returned"),
    (ncip("On Loan"), "2026.12.20", nil),
  ])
  func `A system's status of a loan is read, and its earlier day counts`(
    text: String, expiration: String, status: String?
  ) throws {
    let reading = try CatalogueReader().reading(ofText: text)
    let loan = try #require(reading.records.first?.loan)
    #expect(loan.expiration.dotted == expiration)
    #expect(loan.status?.rawValue == status)
  }

  private static func aleph(_ more: String, recallDue: String? = nil) -> String {
    let recall = recallDue.map { "<z36-recall-due-date>\($0)</z36-recall-due-date>" } ?? ""
    return """
      <bor-info><item-l><z36><z36-due-date>20261220</z36-due-date><z36-due-hour>2400</z36-due-hour>
      \(more)\(recall)</z36><z13><z13-title>A</z13-title></z13></item-l></bor-info>
      """
  }

  private static func alma(_ more: String) -> String {
    """
    <item_loans><item_loan><loan_id>1</loan_id><due_date>2026-12-20Z</due_date>\(more)
    <title>A</title></item_loan></item_loans>
    """
  }

  private static func voyager(_ status: String) -> String {
    """
    <response><reply-code>0</reply-code><loans><institution><loan><itemId>1</itemId><title>A</title>
    <origDueDate>2026-12-31 23:59</origDueDate><dueDate>2026-12-20 23:59</dueDate>
    <statusText>\(status)</statusText></loan></institution></loans></response>
    """
  }

  private static func koha(_ more: String) -> String {
    """
    <GetPatronInfo><loans><loan><itemnumber>1</itemnumber><title>A</title>
    <date_due>2026-12-20</date_due>\(more)</loan></loans></GetPatronInfo>
    """
  }

  private static func marc(_ more: String) -> String {
    """
    <record xmlns="http://www.loc.gov/MARC21/slim"><datafield tag="952"><subfield code="p">7</subfield>
    <subfield code="q">2026-12-20</subfield>\(more)</datafield></record>
    """
  }

  private static func evergreen(_ status: String) -> String {
    """
    <copy xmlns="http://open-ils.org/spec/holdings/v1" barcode="7"><status ident="3">\(status)</status>
    <current_circulation><circ id="1" due_date="2026-12-20"/></current_circulation></copy>
    """
  }

  private static func ncip(_ status: String) -> String {
    """
    <NCIPMessage xmlns="http://www.niso.org/2008/ncip"><LookupItemResponse><ItemId>
    <ItemIdentifierValue>7</ItemIdentifierValue></ItemId><ItemOptionalFields><DateDue>2026-12-20</DateDue>
    <CirculationStatus>\(status)</CirculationStatus></ItemOptionalFields></LookupItemResponse>
    </NCIPMessage>
    """
  }

  /// What a system tells to staff of a loan: telephone, postal address and call number.
  @Test(arguments: [
    (
      """
      <GetPatronInfo><address>12 rue Haute</address><city>Brive</city><zipcode>19100</zipcode>
      <phone/><mobile>06 12</mobile><loans><loan><itemnumber>8</itemnumber><title>A</title>
      <itemcallnumber>RO STE</itemcallnumber><date_due>2026-12-24</date_due></loan></loans>
      </GetPatronInfo>
      """, ["06 12", "12 rue Haute, 19100 Brive", "RO STE"]
    ),
    (
      """
      <GetPatronInfo><city>Brive</city><loans><loan><itemnumber>8</itemnumber><title>A</title>
      <date_due>2026-12-24</date_due></loan></loans></GetPatronInfo>
      """, [nil, "Brive", nil]
    ),
    (
      """
      <item_loan><loan_id>7</loan_id><title>A</title><call_number>PS 3</call_number>
      <due_date>2026-12-24Z</due_date></item_loan>
      """, [nil, nil, "PS 3"]
    ),
    (
      """
      <item><holding_data><call_number>PS 4</call_number></holding_data><item_data><pid>7</pid>
      <due_date>2026-12-24Z</due_date></item_data><bib_data><title>A</title></bib_data></item>
      """, [nil, nil, "PS 4"]
    ),
    (
      """
      <NCIPMessage xmlns="http://www.niso.org/2008/ncip"><LookupUserResponse><LoanedItem>
      <DateDue>2026-12-24</DateDue><Title>A</Title></LoanedItem><UserOptionalFields>
      <UserAddressInformation><PhysicalAddress><StructuredAddress><Street>Trvalá 1</Street>
      <Locality>Lípov</Locality><PostalCode>12345 </PostalCode></StructuredAddress>
      </PhysicalAddress></UserAddressInformation><UserAddressInformation><ElectronicAddress>
      <ElectronicAddressType>tel</ElectronicAddressType><ElectronicAddressData>602 1
      </ElectronicAddressData></ElectronicAddress></UserAddressInformation></UserOptionalFields>
      </LookupUserResponse></NCIPMessage>
      """, ["602 1", "Trvalá 1, 12345 Lípov", nil]
    ),
    (
      """
      <NCIPMessage xmlns="http://www.niso.org/2008/ncip"><LookupItemResponse>
      <ItemId><ItemIdentifierValue>7</ItemIdentifierValue></ItemId><ItemOptionalFields>
      <DateDue>2026-12-24</DateDue><BibliographicDescription><Title>A</Title>
      </BibliographicDescription><ItemDescription><CallNumber>QA 76</CallNumber></ItemDescription>
      </ItemOptionalFields><UserOptionalFields><UserAddressInformation><PhysicalAddress>
      <UnstructuredAddress><UnstructuredAddressData>Lípov 1</UnstructuredAddressData>
      </UnstructuredAddress></PhysicalAddress></UserAddressInformation></UserOptionalFields>
      </LookupItemResponse></NCIPMessage>
      """, [nil, "Lípov 1", "QA 76"]
    ),
    (
      """
      <bor-info><z304><z304-address>Na Výsluní 1</z304-address><z304-telephone>602 2
      </z304-telephone></z304><item-l><z36><z36-due-date>20261224</z36-due-date></z36><z30>
      <z30-barcode>7</z30-barcode><z30-call-no>54 A</z30-call-no></z30><z13><z13-title>A
      </z13-title></z13></item-l></bor-info>
      """, ["602 2", "Na Výsluní 1", "54 A"]
    ),
    (
      """
      <response><reply-code>0</reply-code><loans><institution><loan><itemId>7</itemId>
      <dueDate>2026-12-24</dueDate><title>A</title><callNumber>QH541.5</callNumber></loan>
      </institution></loans></response>
      """, [nil, nil, "QH541.5"]
    ),
    (
      """
      <volume xmlns="http://open-ils.org/spec/holdings/v1" label="QL 737"><copies>
      <copy barcode="7"><current_circulation><circ id="1" due_date="2026-12-24T10:00:00Z"/>
      </current_circulation></copy></copies></volume>
      """, [nil, nil, "QL 737"]
    ),
    (
      """
      <record xmlns="http://www.loc.gov/MARC21/slim"><datafield tag="245"><subfield code="a">A
      </subfield></datafield><datafield tag="952"><subfield code="p">7</subfield>
      <subfield code="q">2026-12-24</subfield><subfield code="o">LUD 1</subfield></datafield></record>
      """, [nil, nil, "LUD 1"]
    ),
  ])
  func `A system's loan tells staff how to reach the reader and where the book belongs`(
    text: String, known: [String?]
  ) throws {
    let reading = try CatalogueReader().reading(ofText: text)
    let loan = try #require(reading.records.first?.loan)
    #expect([loan.phone, loan.address, loan.callNumber] == known)
  }

  @Test(arguments: [
    (["2026-12-01T23:59:59Z", "2026-07-01T23:59:59Z"], true),
    (["2026-12-01T23:59:59Z", "2026-12-02T00:30:00+01:00", "2026-12-24"], true),
    // Midnight is the beginning of the library's day, and a single loan may be due at any time.
    (["2026-12-01T23:00:00Z", "2026-12-02T23:00:00Z"], false), (["2026-12-01T23:59:59Z"], false),
    (["2026-12-01T23:59:59Z", "2026-12-02T16:00:00Z"], false),
    (["2026-12-02T00:59:59", "2026-12-03T00:59:59"], false),
    (["2026-12-01T00:00:00Z", "2026-12-02T00:00:00Z"], false),
    (["2026-12-01T02:00:00Z", "2026-12-02T02:00:00Z"], false),
  ])
  func `Instants that are all early in the morning are probably of the day before`(
    instants: [String], areShifted: Bool
  ) throws {
    let loans = instants.map {
      "<item_loan><title>\($0)</title><due_date>\($0)</due_date></item_loan>"
    }
    let reader = CatalogueReader(civilTime: { Prague.civilTime(at: $0) })
    let reading = try reader.reading(ofText: "<item_loans>\(loans.joined())</item_loans>")
    #expect(reading.records.count == instants.count)
    #expect(reading.diagnostics.map(\.code) == (areShifted ? [.shiftedDays] : []))
  }

  @Test func `A profile can take the day in UTC, and has no time to show then`() throws {
    let alma = try #require(BuiltInProfiles.document(named: "alma"))
    let text = String(decoding: alma, as: UTF8.self).replacing(
      "<expiration ", with: "<expiration day=\"utc\" ")
    let reader = CatalogueReader(
      profile: try CatalogueProfile(reading: Array(text.utf8)),
      civilTime: { Prague.civilTime(at: $0) })
    let due = "<item_loan><title>A</title><due_date>2026-12-01T23:59:59Z</due_date></item_loan>"
    let reading = try reader.reading(ofText: "<item_loans>\(due)\(due)</item_loans>")
    #expect(
      reading.records.map { "\($0.loan?.expiration.dotted ?? "")" } == ["2026.12.01", "2026.12.01"])
    #expect(reading.records.allSatisfy { $0.loan?.expirationTime == nil })
    #expect(reading.diagnostics == [])
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
    #expect(reading.diagnostics.map(\.code) == [.errorAnswer])
    #expect(reading.summary.profile == document.profile)
    #expect(!reading.summary.isComplete)
  }

  @Test(arguments: SystemDocument.all.filter { $0.kind == .unknownBorrower })
  func `A borrower whom the server does not know is no other error`(document: SystemDocument) throws
  {
    let reading = try document.reader.reading(of: document.path)
    #expect(reading.diagnostics.map(\.code) == [.unknownBorrower])
    #expect(reading.summary.profile == document.profile)
    #expect(reading.summary.answer.isBorrowerUnknown && !reading.summary.isComplete)
  }

  /// Each with the number of loans that it is said to have, and whether it is a part.
  @Test(arguments: [
    (CountedItems(counts: [("On Loan", 3)], loans: 1), true),
    (CountedItems(counts: [("On Loan", 1)], loans: 1, next: "Loaned Item"), false),
    (CountedItems(counts: [("On Loan", 2), ("Overdue", 1)], loans: 3), false),
    (CountedItems(counts: [("On Loan", 2), ("Overdue", 2)], loans: 3), true),
    // Counted once more by their restrictions.
    (CountedItems(counts: [("On Loan", 2), (nil, 2)], loans: 2), false),
    (CountedItems(counts: [(nil, 2)], loans: 1), true),
    (CountedItems(counts: [("On Loan", 1)], loans: 3), false),
    (CountedItems(counts: [("On Loan", 2)], loans: 0), true),
    (CountedItems(counts: [], loans: 1, next: "Loaned Item"), true),
    (CountedItems(counts: [], loans: 0, next: "Loaned Item"), false),
    (CountedItems(counts: [("On Loan", 1)], loans: 1, next: "Requested Item"), false),
    (CountedItems(counts: [], loans: 1, next: "Requested Item"), false),
  ])
  func `An answer of NCIP with fewer loans than it counts is a part`(
    items: CountedItems, isPart: Bool
  ) throws {
    for version in items.next == nil ? 1...2 : 2...2 {
      let reading = try CatalogueReader().reading(ofText: items.document(version: version))
      #expect(reading.summary.profile == "ncip\(version)")
      #expect(reading.summary.answer.isPart == isPart)
      #expect(reading.diagnostics.map(\.code).contains(.incompleteAnswer) == isPart)
      #expect(reading.records.count == items.loans)
    }
  }

  @Test(arguments: [
    (
      """
      <OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords><record><metadata/></record>\
      <resumptionToken>MORE</resumptionToken></ListRecords></OAI-PMH>
      """, "MORE"
    ),
    (
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><link rel="MORE" href="?page=2"/><entry>\
      <holdings xmlns="http://open-ils.org/spec/holdings/v1"/></entry></feed>
      """, "next"
    ),
  ])
  func `What comes in pages is a part but for the last page`(text: String, sign: String) throws {
    let part = try CatalogueReader().reading(ofText: text.replacing("MORE", with: sign))
    #expect(part.summary.answer.isPart)
    let last = try CatalogueReader().reading(
      ofText: text.replacing("MORE", with: sign == "MORE" ? "" : "self"))
    #expect(!last.summary.answer.isPart)
  }

  /// What may be lent is no reason to say that nothing is.
  @Test func `An answer with a date in no loan gets no advice that it may be empty`() throws {
    let text = """
      <GetPatronInfo><surname>R</surname><checkouts><checkout><date_due>2026-11-20</date_due>
      </checkout></checkouts><loans/></GetPatronInfo>
      """
    let reading = try CatalogueReader().reading(ofText: text)
    #expect(
      reading.diagnostics.map(\.message) == [
        """
        no loan was found: <GetPatronInfo>, read as koha-ilsdi, has no \
        /GetPatronInfo/loans/loan; but there is a date at line 1, "2026-11-20"; has the format changed?
        """
      ])
    #expect(reading.summary.answer.hasOtherDate && !reading.summary.answer.isListEmpty)
    for value in ["", "0000-00-00"] {
      let empty = try CatalogueReader().reading(
        ofText: text.replacing("2026-11-20", with: value))
      #expect(empty.diagnostics.first?.message.hasSuffix("add --allow-empty") == true)
      #expect(empty.summary.answer.isListEmpty)
    }
  }

  @Test(arguments: SystemDocument.all.filter { $0.kind == .notACatalogue })
  func `What is no XML is told as what it is`(document: SystemDocument) throws {
    let reading = try document.reader.reading(of: document.path)
    #expect(reading.diagnostics.map(\.code) == [.notACatalogue])
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
