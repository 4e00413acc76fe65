import CatalogueProperties
import LoanCatalogue
import Loans
import TestSupport
import Testing

/// What a profile's XPath gives.
struct XPathProfileTests {
  private func profile(_ title: String, more: String = "") throws -> CatalogueProfile {
    try CatalogueProfile(
      reading: Array(
        """
        <profile name="ours" title="Ours" xmlns:x="urn:x"><record path="/l/g/i"/>
        <title path="\(title.replacing("<", with: "&lt;"))"/>
        <expiration path="d[not(@kind)]" form="yyyyMMdd"/>\(more)</profile>
        """.utf8))
  }

  private func title(_ path: String, of text: String) throws -> String? {
    let reading = try CatalogueReader(profile: profile(path)).reading(ofText: text)
    #expect(reading.records.count == 1)
    return reading.records.first?.loan?.title
  }

  private static let document = """
    <l><owner>Olga</owner><g to="Anna"><head>H</head>
    <i n="7" note=" a  b "><name>Toldi</name><sub>est\u{e9}je</sub><sub/><sub>III</sub><b><c>deep</c></b>
    <x:y xmlns:x="urn:x">other</x:y><d kind="old">20251201</d><d>20261201</d></i>
    <foot>F</foot></g><end>E</end></l>
    """

  @Test(arguments: [
    ("name", "Toldi"), ("concat(name, ' ', sub)", "Toldi est\u{e9}je"), ("sub[last()]", "III"),
    ("sub[2] | sub[3]", "III"), ("sub[. = 'III']", "III"), (".//c", "deep"), ("b", "deep"),
    ("translate(name, 'T', 't')", "toldi"), ("substring-before(name, 'l')", "To"), ("@note", "a b"),
    ("../@to", "Anna"), ("../head", "H"), ("../foot", "F"), ("../../end", "E"),
    ("/l/owner", "Olga"),
    ("/l/end", "E"), ("concat(/l/owner, name, ../foot)", "OlgaToldiF"), ("count(sub)", "3"),
    ("following-sibling::foot", "F"), ("preceding-sibling::head", "H"), ("ancestor::l/end", "E"),
    ("parent::g/@to", "Anna"), ("parent::h/@to | name", "Toldi"), ("x:y", "other"),
    ("y | name", "Toldi"),
    ("*[local-name() = 'y']", "other"), ("string-length(name) * 2", "10"),
    ("name = 'Toldi'", "true"),
    ("nothing | name[contains(., 'x')]", nil), ("'a literal'", "a literal"),
    ("self::i/name", "Toldi"),
    ("name/text()", "Toldi"), ("//owner", "Olga"), ("(sub | name)[1]", "Toldi"),
    ("following::end", "E"),
  ])
  func `A field is any expression from the record`(path: String, expected: String?) throws {
    #expect(try title(path, of: Self.document) == expected)
  }

  private static let loans = """
    <l><people><one><name>Anna</name></one></people>
    <g><i><name>A</name><d>20261201</d></i><i><name>B</name><d>20261201</d></i></g>
    <g><i><name>C</name><d>20261201</d></i></g></l>
    """

  @Test(arguments: [
    ("../i[1]/name", ["A", "A", "C"]), ("count(preceding-sibling::i)", ["0", "1", "0"]),
    ("count(/l/g/i)", ["3", "3", "3"]), ("//one/name", ["Anna", "Anna", "Anna"]),
    ("/l//one", ["Anna", "Anna", "Anna"]), ("count(//i)", ["3", "3", "3"]),
    ("concat(../preceding-sibling::g/i/name, name)", ["A", "B", "AC"]),
    ("count(following::i)", ["2", "1", "0"]), ("count(preceding::i)", ["0", "1", "2"]),
    ("../../descendant::one/name", ["Anna", "Anna", "Anna"]),
    ("preceding-sibling::i[1]/name | name", ["A", "A", "C"]),
    ("../*[last()]/name", ["B", "B", "C"]),
  ])
  func `A field may look at other loans`(path: String, expected: [String]) throws {
    let reader = CatalogueReader(profile: try profile(path))
    #expect(try reader.reading(ofText: Self.loans).titles == expected)
  }

  /// How a profile's document may look around its loans, so that they are read as they come, after
  /// what stands behind them, or from the whole tree.
  @Test(arguments: [
    ("name", ""), ("../foot | name", ""), ("/l/end | name", ""),
    ("name", "<!DOCTYPE l [<!ENTITY e 'x'>]>"),
  ])
  func `A comment is about the loan after it`(path: String, doctype: String) throws {
    let comment = "<!-- check-loans: ignore date-format -->"
    let reader = CatalogueReader(profile: try profile(path), rules: .all)
    let reading = try reader.reading(
      ofText: """
        \(doctype)<l><g>
        <i><name>A</name><d>x</d></i>
        \(comment)
        <i><name>B</name><d>x</d></i>
        <i><name>C</name>\(comment)<d>x</d></i>
        <i><name>D</name><d>x</d></i></g></l>
        """)
    #expect(
      reading.findings.map { $0.split(separator: ":").first.map(String.init) }
        == ["2", "5", "5", "6"])
    #expect(
      reading.diagnostics.map(\.code) == [.dateFormat, .unusedIgnore, .dateFormat, .dateFormat])
  }

  @Test(arguments: [
    ("not(held)", [true, false]), ("boolean(held)", [false, true]),
    ("2 - count(held) * 2", [true, false]),
    ("held = 'x'", [false, true]), ("held", [nil, nil]),
    ("translate(@r, 'YN', '10')", [false, nil]),
  ])
  func `An expression can say whether a loan can be renewed`(
    path: String, renewable: [Bool?]
  ) throws {
    let reader = CatalogueReader(
      profile: try profile("name", more: "<renewable path=\"\(path)\"/>"))
    let reading = try reader.reading(
      ofText: """
        <l><g><i r="N"><name>A</name><d>20261201</d></i>
        <i><name>B</name><held>x</held><d>20261201</d></i></g></l>
        """)
    #expect(reading.records.map(\.loan?.renewable) == renewable)
  }

  @Test(arguments: [
    ("loaned path='l' form='d/M/yyyy'", CivilDate(year: 2026, month: 11, day: 1)),
    ("loaned path='l' form='yyyy-MM-dd'", nil),
    (
      "expiration path='l' form='d/M/yyyy' plus='loan-days'",
      CivilDate(year: 2026, month: 11, day: 1)
    ),
  ])
  func `The day of lending of another form is known where it can be read`(
    field: String, day: CivilDate?
  ) throws {
    let reader = CatalogueReader(profile: try profile("name", more: "<\(field)/>"), loanDays: 30)
    let due = field.hasPrefix("expiration") ? "" : "<d>20261201</d>"
    let reading = try reader.reading(
      ofText: "<l><g><i><name>A</name><l>1/11/2026</l>\(due)</i></g></l>")
    #expect(reading.diagnostics == [])
    #expect(reading.records.map(\.loan?.expiration) == [CivilDate(year: 2026, month: 12, day: 1)])
    #expect(reading.records.map(\.loan?.loaned) == [day])
  }

  @Test(.timeLimit(.minutes(10)))
  func `A million different names are refused`() throws {
    let names = (0..<1_000_000).map { "<z\($0)/>" }.joined()
    let reading = try CatalogueReader(profile: try profile("name")).reading(
      ofText: "<l>\(names)</l>")
    #expect(reading.diagnostics.map(\.code) == [.malformedXML])
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      "name[count(//*) > 0]", "count(//*[count(//*) > 0])", "preceding::*",
      "name[/l/g/i[last()]/nothing]",
      "following-sibling::i[last()]/name",
    ])
  func `What looks at all for each loan is a located error`(path: String) throws {
    let loans = (0..<40_000).map { "<i><name>\($0)</name><d>20261201</d></i>\n" }.joined()
    let reader = CatalogueReader(profile: try profile(path))
    let error = #expect(throws: CatalogueError.self) {
      _ = try reader.reading(ofText: "<l><g>\n\(loans)</g></l>")
    }
    #expect(error?.code == .profileFailed)
    #expect(error?.location?.column == 1)
    #expect(
      error?.message
        == "the profile ours cannot be applied here: it looks at more than the size of the document allows"
    )
  }

  @Test(.timeLimit(.minutes(1)))
  func `A million elements in one loan are in order at once`() throws {
    let many = String(repeating: "<x/>", count: 1_000_000)
    let text = "<l><g><i>\(many)<name>Toldi</name><d>20261201</d></i></g></l>"
    for path in ["(x | name)[last()]", "x | name", "name/preceding-sibling::x[1] | name"] {
      #expect(try title(path, of: text) == "Toldi")
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `A long text around many loans is not copied into each`() throws {
    let loans = String(repeating: "<i><d>20261201</d></i>", count: 10_000)
    let text = "<l><g to='\(String(repeating: "x", count: 1_000_000))'>\(loans)</g></l>"
    let error = #expect(throws: CatalogueError.self) {
      _ = try CatalogueReader(profile: try profile("../@to")).reading(ofText: text)
    }
    #expect(error?.code == .profileFailed)
  }

  @Test func `Loans in entities are found in the order of the document`() throws {
    let reading = try CatalogueReader(profile: try profile("concat(name, ../@to)")).reading(
      ofText: """
        <!DOCTYPE l [<!ENTITY e "<i><name>B</name><d>20261202</d></i>"><!ENTITY n "A">]>
        <l><g to="1"><i><name>&n;</name><d>20261201</d></i>&e;</g>
        <g to="2">&e;<i><name>C</name><d>20261203</d></i></g></l>
        """)
    #expect(reading.diagnostics == [])
    #expect(reading.titles == ["A1", "B1", "B2", "C2"])
  }

  @Test func `Fields inside a record are those of its loans alone`() throws {
    let profile = try CatalogueProfile(
      reading: Array(
        """
        <profile name="two" title="Two">
          <record path="/l/a"><title path="@t"/></record><record path="/l/b"><title path="u"/></record>
          <title path="v"/><expiration path="@d" time="@h" form="yyyyMMdd[ HH:mm]"/></profile>
        """.utf8))
    let reading = try CatalogueReader(profile: profile).reading(
      ofText: """
        <l><a t="1" d="20261201" h="12:30"><u>x</u></a><b t="x" d="20261201"><u>2</u></b>
        <a d="20261201"><u>x</u><v>3</v></a></l>
        """)
    #expect(reading.titles == ["1", "2", "3"])
    #expect(reading.records.first?.loan?.expirationTime?.description == "12:30")
    #expect(reading.records.last?.loan?.expirationTime == nil)
  }

  @Test func `A hundred thousand loans are read one by one`() throws {
    let loans = (0..<100_000).map { "<i><name>\($0)</name><d>20261201</d></i>\n" }.joined()
    let folder = try ScratchFolder()
    try folder.write("<l><g to='A'>\n\(loans)</g></l>", to: "l.xml")
    let reading = try CatalogueReader(profile: profile("concat(name, ../@to)")).open(
      "\(folder.path)/l.xml")
    var counts: [Int] = []
    while let events = try reading.next() { counts.append(events.count) }
    #expect(counts.reduce(0, +) == 100_000)
    #expect((counts.max() ?? 0) < 5_000)
  }
}
