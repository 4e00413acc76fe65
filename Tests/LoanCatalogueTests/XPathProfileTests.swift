import CatalogueProperties
import Loans
import TestSupport
import Testing

@testable import LoanCatalogue

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
    ("following::end", "E"), ("position()", "1"), ("last()", "1"),
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

  @Test func `A comment in another system's document silences nothing`() throws {
    let reading = try CatalogueReader(profile: profile("name"), rules: .all).reading(
      ofText: """
        <l><g><!-- check-loans: ignore date-format -->
        <i><name>A</name><d>x</d></i></g></l>
        """)
    #expect(reading.diagnostics.map(\.code) == [.dateFormat])
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
      "name[count(//*) > 0]", "count(//*[count(//*) > 0]) + count(self::i)", "preceding::*",
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

  /// A profile whose records are at a path, lent by a condition.
  private func profile(record: String, lent: String? = nil, title: String) throws
    -> CatalogueProfile
  {
    let lent = lent.map { "lent=\"\($0.replacing("<", with: "&lt;"))\"" } ?? ""
    return try CatalogueProfile(
      reading: Array(
        """
        <profile name="ours"><record path="\(record.replacing("<", with: "&lt;"))" \(lent)/><title path="\(title)"/>
        <expiration path="@d" form="yyyyMMdd"/></profile>
        """.utf8))
  }

  private static let shelves = """
    <l><i t="A" d="20261201"/><s><i t="B" d="20261201"/><i t="C" d="20261201"/><end>E</end></s>
    <s x="2"><b><i t="D" d="20261201"><i t="E" d="20261201"/></i></b></s></l>
    """

  @Test(arguments: [
    ("//i", ["A", "B", "C", "D", "E"]), ("/l/i | /l/s/i", ["A", "B", "C"]),
    ("/l/descendant::i[not(parent::i)]", ["A", "B", "C", "D"]), ("/l/s/i[2]", ["C"]),
    ("/l/s/i[last()]", ["C"]), ("/l/s[end]/i", ["B", "C"]), ("/l/s[@x]//i", ["D", "E"]),
    ("/l/*/i", ["B", "C"]), ("(//i)[position() < 3]", ["A", "B"]),
    ("/l/s/i[../end]", ["B", "C"]), ("/l/s/i[following-sibling::i]", ["B"]),
    ("/l/s[count(i) = 2]/i[position() = last() - 1]", ["B"]), ("/l/s[2]/b/i", ["D"]),
    ("//i[@t='D' or @t='E']", ["D", "E"]), ("id('x') | /l/i", ["A"]),
  ])
  func `Records are at any path`(path: String, titles: [String]) throws {
    let reader = CatalogueReader(profile: try profile(record: path, title: "@t"))
    #expect(try reader.reading(ofText: Self.shelves).titles == titles)
  }

  @Test(arguments: [
    ("@t != 'B'", ["A", "C"]), ("not(@t = 'A') and @d", ["B", "C"]), ("count(../end)", ["B", "C"]),
    ("../@x", []), ("'yes'", ["A", "B", "C"]), ("0", []),
  ])
  func `An expression says which records are lent`(lent: String, titles: [String]) throws {
    let profile = try profile(record: "/l/i | /l/s/i", lent: lent, title: "@t")
    let reading = try CatalogueReader(profile: profile).reading(ofText: Self.shelves)
    #expect(reading.records.compactMap(\.loan?.title) == titles)
    #expect(reading.summary.records == 3 && reading.summary.onShelf == 3 - titles.count)
  }

  @Test func `A record that is of several kinds is of the first by which it is lent`() throws {
    let profile = try CatalogueProfile(
      reading: Array(
        """
        <profile name="two"><record path="/l/i" lent="@a"><title path="@t"/></record>
        <record path="/l/*"><title path="@u"/></record>
        <expiration path="@d" form="yyyyMMdd"/></profile>
        """.utf8))
    let reading = try CatalogueReader(profile: profile).reading(
      ofText: "<l><i a='' t='A' u='X' d='20261201'/><i t='Y' u='B' d='20261201'/></l>")
    #expect(reading.titles == ["A", "B"])
  }

  @Test(arguments: ["b/c", "../b/c", "../../g/b/c"])
  func `What is known once an element has ended needs no more of the document`(path: String) throws
  {
    let loans = (0..<30_000).map {
      "<g><b><c>\($0)</c></b><i><d>20261201</d><b><c>\($0)</c></b></i></g>\n"
    }
    let folder = try ScratchFolder()
    try folder.write("<l>\n\(loans.joined())</l>", to: "l.xml")
    let reading = try CatalogueReader(profile: profile(path)).open("\(folder.path)/l.xml")
    var titles = 0
    while let batch = try reading.next() {
      titles += (0..<batch.count).count { batch[$0].loan?.title != nil }
    }
    #expect(titles == 30_000)
  }

  @Test(
    arguments: [
      ("/l/g/i", "a", [["l", "g", "i"]]), ("/l/g/i", "../a", [["l", "g"]]),
      ("/l/g/i", "../../a", [["l"]]), ("/l/g/i", "/l/a", nil), ("/l/g/i", "ancestor::g/a", nil),
      ("/l/g/i", "a[../../b]", [["l"]]), ("/l/g/i[2]", "a", [["l", "g"]]),
      ("/l/g/i[(2)]", "a", [["l", "g"]]), ("/l/g/i[--2]", "a", [["l", "g"]]),
      ("/l/g/i[a[last()]]", "a", [["l", "g"]]), ("/l/g/i[@a and b = 'c']", "a", [["l", "g", "i"]]),
      ("/l/g[a]/i", "a", [["l", "g"]]), ("/l[g]/g/i", "a", [["l"]]),
      ("/l/g/i[../b]", "a", [["l", "g"]]),
      ("/l/g/i[/b]", "a", nil), ("//i", "a", nil), ("/l/g/i | /l/i", "a", nil), ("/m/i", "a", []),
    ] as [(String, String, [[String]]?)])
  func `Records are read when the element has ended that says all of them`(
    path: String, title: String, units: [[String]]?
  ) throws {
    #expect(try profile(record: path, title: title).units(below: "l") == units)
  }

  @Test(arguments: [
    ("/l/a", true), ("/l/g", false), ("/l/*/a", false), ("//a", false), ("/*/a", true),
  ])
  func `What the document says of itself is not freed with records`(path: String, isFreed: Bool)
    throws
  {
    let profile = try CatalogueProfile(
      reading: Array(
        """
        <profile name="ours"><record path="/l/g"/><expiration path="@d" form="yyyyMMdd"/>
        <more path="\(path)"/></profile>
        """.utf8))
    #expect(profile.units(below: "l") == (isFreed ? [["l", "g"]] : nil))
  }

  @Test(arguments: [("/l/e", true), ("/l", false), ("/*", false), ("/", false)])
  func `Nothing is freed in an element whose text is that of an error`(
    path: String, isFreed: Bool
  ) throws {
    let profile = try CatalogueProfile(
      reading: Array(
        """
        <profile name="ours"><record path="/l/g"/><expiration path="@d" form="yyyyMMdd"/>
        <problem path="\(path)"/></profile>
        """.utf8))
    #expect(profile.units(below: "l") == (isFreed ? [["l", "g"]] : nil))
  }

  @Test func `A record that is an attribute is an error`() throws {
    let reader = CatalogueReader(profile: try profile(record: "/l/i/@t", title: "."))
    let error = #expect(throws: CatalogueError.self) {
      _ = try reader.reading(ofText: Self.shelves)
    }
    #expect(error?.message.hasSuffix("\"/l/i/@t\" selects something other than an element") == true)
  }

  @Test(arguments: [
    ("a", 0), ("a/b[c]", 0), ("@a", 0), (".", 0), ("'a'", 0), ("../a", 1), ("..", 1), ("../@a", 1),
    ("../../a", 2), ("../a/../../b", 3), ("following-sibling::a", 1),
    ("preceding-sibling::a/@b", 1),
    ("../preceding-sibling::a", 2), ("a[../../b]", 2), ("concat(../a, ../b)", 1),
    ("(../a | b)[1]/..", 2),
    ("parent::g/a", 1), ("../a[.//b]", 1), ("normalize-space()", 0), ("../a[position() = 2]", 1),
    ("self::a[../b] | c", 1), ("../a[../b]/c", 2), ("a[..] | ../b", 1),
  ])
  func `A path reaches outward over so many elements`(path: String, reach: Int) {
    #expect(XPathPaths(XPathTokens(path)).reach == reach)
  }

  @Test(arguments: [
    "/a", "//a", "a | /b", "ancestor::a", "ancestor::a/@b", "following::a", "preceding::a",
    "id('a')/b", "a[/b]",
  ])
  func `Some paths look anywhere`(path: String) {
    #expect(XPathPaths(XPathTokens(path)).reach == XPathPaths.document)
  }

  @Test(arguments: [
    ("a", 0), ("../a", 1), ("../../a | ../b", 1), ("../@a", 1), ("concat(../a, b)", 0),
    ("..[@a]/../b", 1), ("/a | ../b", 1), ("../a[b]", 1),
    ("ancestor::a/b", 0), ("../a/../b", 1), ("string()", 0), ("preceding-sibling::a", 0),
    ("text()", 0),
  ])
  func `What is the same for all in one element is known`(path: String, anchor: Int) {
    #expect(XPathPaths(XPathTokens(path)).anchor == anchor)
  }

  @Test func `White space between fields counts where it is asked for`() throws {
    let text = "<l><i d='20261201'><a>Toldi</a> <a>este</a></i></l>"
    for title in [".", "normalize-space()", "concat(., '')", "../i"] {
      let reader = CatalogueReader(profile: try profile(record: "/l/i", title: title))
      #expect(try reader.reading(ofText: text).titles == ["Toldi este"])
    }
  }
}
