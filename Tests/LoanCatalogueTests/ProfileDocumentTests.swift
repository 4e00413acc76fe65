import CatalogueProperties
import Loans
import TestSupport
import Testing

@testable import LoanCatalogue

/// Profiles in their XML form.
struct ProfileDocumentTests {
  private func fault(_ text: String) -> String {
    do throws(CatalogueProfile.Fault) {
      _ = try CatalogueProfile(reading: Array(text.utf8))
      return ""
    } catch {
      return "\(error.location.line):\(error.location.column): \(error.message)"
    }
  }

  /// A profile with these lines inside, the first of them in line 2.
  private func profile(_ lines: String...) -> String {
    """
    <profile name="ours" title="Ours">
    \(lines.joined(separator: "\n"))
    <record path="/list/loan"/>
    <expiration path="due" form="yyyy-MM-dd"/>
    </profile>
    """
  }

  @Test func `A profile without faults has none`() {
    #expect(fault(profile("<title path=\"name\"/>")) == "")
  }

  @Test(arguments: [
    ("<titel path=\"name\"/>", "2:1: <titel> is not known in a profile; known are "),
    ("<title/>", "2:1: <title> needs an attribute path"),
    ("<columns/>", "2:1: <columns> needs an attribute name"),
    ("<columns name=\"*\"/>", "2:16: expected \"name()\" or \"@ATTRIBUTE\", found \"*\""),
    (
      "<title pfad=\"name\" path=\"n\"/>",
      "2:14: <title> has no attribute pfad; it may have path, none"
    ),
    ("<title path=\"name\" form=\"yyyy\"/>", "2:26: <title> has no attribute form"),
    ("<title path=\"\"/>", "2:14: path \"\": the expression is empty"),
    ("<title path=\"a[b\"/>", "2:17: path \"a[b\": the expression ends too early"),
    ("<title path=\"a[b='c]\"/>", "2:21: path \"a[b='c]\": the expression ends too early"),
    ("<title path=\"a b\"/>", "2:16: path \"a b\": XPath 1.0 does not understand \"b\""),
    ("<title path=\"a]\"/>", "2:15: path \"a]\": XPath 1.0 does not understand \"]\""),
    ("<title path=\"foo(a)\"/>", "2:14: path \"foo(a)\": XPath 1.0 has no function \"foo\""),
    (
      "<title path=\"a[document('b')]\"/>",
      "2:16: path \"a[document('b')]\": XPath 1.0 has no function \"document\""
    ),
    ("<title path=\"a/$b\"/>", "2:16: path \"a/$b\": a profile has no variables"),
    (
      "<title path=\"count('a')\"/>",
      "2:14: path \"count('a')\": a function or an operator gets a value of the wrong kind"
    ),
    (
      "<title path=\"concat(a)\"/>",
      "2:14: path \"concat(a)\": a function gets too few or too many values"
    ),
    (
      "<title path=\"b/x:a\"/>", "2:16: path \"b/x:a\": the prefix \"x\" is not bound; add xmlns:x="
    ),
    ("<record path=\"loan\"/>", "2:15: path \"loan\": the path of a record begins with /"),
    (
      "<total path=\"count(loan)\"/>",
      "2:14: path \"count(loan)\": the path of a total begins with /"
    ),
    ("<record path=\"count(/a)\"/>", "2:15: path \"count(/a)\": the path of a record leads"),
    ("<record path=\"/a\" lent=\"b[\"/>", "2:27: path \"b[\": the expression ends too early"),
    ("<id path=\"a\" shared=\"true\"/>", "2:22: expected \"yes\", found \"true\""),
    ("<title path=\"a\" shared=\"yes\"/>", "2:25: <title> has no attribute shared"),
    ("<loaned path=\"a\" form=\"yyyyMd\"/>", "2:24: in the form \"yyyyMd\" numbers of any length"),
    ("<loaned path=\"a\" form=\"yyyy-MM-dd yyyy\"/>", "2:24: the form \"yyyy-MM-dd yyyy\" names"),
    ("<loaned path=\"a\" form=\"yyyy-MM-dd h:mm\"/>", "2:24: the form \"yyyy-MM-dd h:mm\" has h"),
    ("<loaned path=\"a\" form=\"yyyyMMdd\" day=\"utc\"/>", "2:39: <loaned> has no attribute day"),
    (
      "<expiration path=\"a\" form=\"yyyyMMdd\" day=\"UTC\"/>",
      "2:43: expected \"utc\", found \"UTC\""
    ),
    ("<title path=\"a\" time=\"b\"/>", "2:23: <title> has no attribute time"),
    ("<loaned path=\"l\"/>", "2:1: <loaned> needs an attribute form"),
    ("<loaned path=\"l\" form=\"dd.MM\"/>", "2:24: the form \"dd.MM\" has no yyyy"),
    (
      "<lookup path=\"a\" key=\"k\" reference=\"r\"><id path=\"t\"/></lookup>",
      "2:15: path \"a\": the path of a lookup begins with /"
    ),
    (
      "<lookup path=\"/a\" key=\"k\" reference=\"r\"><loaned path=\"t\" form=\"yyMd\"/></lookup>",
      "2:64: in the form \"yyMd\" numbers of any length"
    ),
    (
      "<lookup path=\"/a\" key=\"k\" reference=\"r\"><loaned path=\"t\" form=\"yyyyMMdd\"/></lookup>",
      "2:41: <loaned> cannot be looked up; it is the loan's"
    ),
    ("<problem path=\"/e\" unless=\"x\"/>", "2:28: expected \"loans\", found \"x\""),
    ("<problem path=\"/e\" borrower=\"x\"/>", "2:30: expected \"unknown\", found \"x\""),
    ("<title path=\"a\"><b/></title>", "2:17: <b> cannot be inside <title>"),
    ("<title path=\"a\">b</title>", "2:1: <title> has text inside"),
    ("<lookup path=\"/a\" key=\"@k\" reference=\"r\"/>", "2:1: <lookup> has no field inside"),
    ("&nope;", "2:7: not well-formed XML"),
  ])
  func `A fault is told with its place`(line: String, expected: String) {
    let found = fault(profile(line))
    #expect(found.hasPrefix(expected), "\(found)")
  }

  @Test func `Of letters beyond ASCII the line is told`() {
    let found = fault(profile("<title path=\"é/ő[\"/>"))
    #expect(found.hasPrefix("2:"))
    #expect(found.contains(": path \"é/ő[\": the expression ends too early"))
  }

  @Test(arguments: [
    ("", "1:1: not well-formed XML"), ("<books/>", "1:1: a profile's root element is <profile>"),
    ("<profile/>", "1:1: <profile> needs an attribute name"),
    ("<profile name=\"Ours\"/>", "1:16: a profile's name has small letters"),
    ("<profile name=\"a\"/>", "1:1: the profile has no <record"),
    (
      "<profile name=\"a\"><record path=\"/a\"/></profile>", "1:1: the profile has no <expiration"
    ),
    ("<!DOCTYPE profile []><profile name=\"a\"/>", "1:22: the profile has no <record"),
    ("<!DOCTYPE profile [\n<!ENTITY a 'b'>]><profile/>", "2:1: the document declares the entity"),
  ])
  func `So is one of the whole document`(text: String, expected: String) {
    let found = fault(text)
    #expect(found.hasPrefix(expected), "\(found)")
  }

  @Test(arguments: Fixture.valid)
  func `The tool's own form read by its profile gives the same loans`(fixture: Fixture) throws {
    let native = try CatalogueReader().reading(of: fixture.path)
    guard native.summary.profile == "native" else { return }
    let document = try #require(BuiltInProfiles.document(named: "native"))
    let profile = try CatalogueProfile(reading: document)
    #expect(profile.title == CatalogueProfile.native.title && !profile.isNative)
    let read = try CatalogueReader(profile: profile).reading(of: fixture.path)
    #expect(read.records.map(\.loan) == native.records.map(\.loan))
    #expect(read.records.map(\.identity) == native.records.map(\.identity))
    #expect(read.records.map(\.location) == native.records.map(\.location))
  }

  @Test(arguments: BuiltInProfiles.names)
  func `A profile has the name that it is listed with`(name: String) throws {
    let document = try #require(BuiltInProfiles.document(named: name))
    #expect(try CatalogueProfile(reading: document).name == name)
    #expect(BuiltInProfiles.profile(named: name)?.name == name)
  }
}

/// Catalogues that nobody has seen before, read by profiles of one's own.
struct OwnProfileTests {
  private func read(_ profile: String, _ text: String, loanDays: Int? = nil) throws -> [String] {
    let profile = try CatalogueProfile(reading: Array(profile.utf8))
    let reading = try CatalogueReader(profile: profile, loanDays: loanDays).reading(ofText: text)
    return reading.records.map { record in
      let loan = record.loan
      return [
        "\(record.location.line)", loan?.id, loan?.title, loan?.author, loan?.borrower,
        loan.map { "\($0.expiration)" } ?? "\(record.expiration)",
      ].map { $0 ?? "" }.joined(separator: "|")
    } + reading.diagnostics.map { "\($0.location.line):\($0.location.column) \($0.code.rawValue)" }
  }

  private static let school = """
    <profile name="school" title="A school's list">
      <record path="/biblioteca/prestamos/prestamo" lent="not(estado='Devuelto')"/>
      <id path="@id"/>
      <expiration path="fecha_devolucion" form="yyyy-MM-dd"/>
      <lookup path="/biblioteca/libros/libro" key="@ref" reference="ejemplar/@ref">
        <title path="titulo"/>
      </lookup>
      <lookup path="/biblioteca/usuarios/usuario" key="@id" reference="usuario/@ref">
        <borrower path="nombre"/>
      </lookup>
    </profile>
    """

  @Test func `Books and readers are looked up, before the loans or behind them`() throws {
    let loans = """
      <biblioteca>
      <libros><libro ref="l1"><titulo>Niebla</titulo></libro></libros>
      <prestamos>
      <prestamo id="1"><usuario ref="u1"/><ejemplar ref="l1"/><fecha_devolucion>2026-12-01</fecha_devolucion></prestamo>
      <prestamo id="2"><usuario ref="u2"/><ejemplar ref="l1"/><fecha_devolucion>2026-12-02</fecha_devolucion>
      <estado>Devuelto</estado></prestamo>
      <prestamo id="3"><usuario ref="u2"/><ejemplar ref="l9"/><fecha_devolucion>2026-12-32</fecha_devolucion></prestamo>
      </prestamos>
      <usuarios><usuario id="u1"><nombre>Ana</nombre></usuario></usuarios>
      </biblioteca>
      """
    let found = try read(Self.school, loans)
    #expect(
      found == [
        "4|1|Niebla||Ana|2026-12-01", "5|||||none", "7|||||unusable", "7:1 missing-title",
        "7:57 impossible-date",
      ])
  }

  @Test func `Ten lines are enough`() throws {
    let profile = """
      <profile name="parish" title="The parish library">
        <record path="/library/lent/item"/>
        <id path="@no"/>
        <title path="name"/>
        <borrower path="../@to"/>
        <expiration path="back" form="d/M/yyyy"/>
      </profile>
      """
    let text = """
      <library><lent to="Anna Kovács"><item no="7"><name>Abigél</name><back>1/12/2026</back></item>
      <item no="8"><name>Toldi</name><back/></item></lent>
      <lent to="Ivan"><item no="9"><back>soon</back></item></lent></library>
      """
    let found = try read(profile, text)
    #expect(
      found == [
        "1|7|Abigél||Anna Kovács|2026-12-01", "2|||||none", "3|||||unusable", "3:17 missing-title",
        "3:30 date-format",
      ])
  }

  @Test func `What encloses the loans is known where it stands`() throws {
    let profile = """
      <profile name="nested" title="Nested">
        <record path="/l/branch/person/loan"/>
        <title path="t"/><author path="/l/head"/><borrower path="concat(../name, ' ', ../../town)"/>
        <expiration path="d" form="yyyyMMdd"/>
      </profile>
      """
    let text = """
      <l><branch><person><loan><t>A</t><d>20261201</d></loan><name>Ann</name></person>
      <person><name>Bea</name><loan><t>B</t><d>20261202</d></loan></person><town>Brno</town></branch>
      <branch><person><loan><t>C</t><d>20261203</d></loan></person></branch><head>H</head></l>
      """
    let found = try read(profile, text)
    #expect(
      found == [
        "1||A|H|Ann Brno|2026-12-01", "2||B|H|Bea Brno|2026-12-02", "3||C|H||2026-12-03",
      ])
  }

  @Test func `What encloses other loans is not taken for these`() throws {
    let profile = """
      <profile name="sides" title="Sides">
        <record path="/l/adults/i"/><record path="/l/children/i"/><title path="@t"/>
        <borrower path="../@to"/>
        <author path="parent::adults/by"/><expiration path="@d" form="yyyyMMdd"/>
      </profile>
      """
    let text = """
      <l><adults to="Anna"><by>X</by><i t="A" d="20261201"/></adults>
      <children to="Bob"><i t="B" d="20261201"/></children>
      <children to="Cecil"><i t="C" d="20261201"/></children></l>
      """
    let found = try read(profile, text)
    #expect(
      found == [
        "1||A|X|Anna|2026-12-01", "2||B||Bob|2026-12-01", "3||C||Cecil|2026-12-01",
      ])
  }

  @Test func `An empty expiration is an error in whatever form and place it is asked for`() throws {
    let profile = """
      <profile name="strict" title="Strict"><record path="/l/i" lent="t != ''"/><title path="t"/>
        <expiration path="@due" form="yyyy.MM.dd" empty="error"/></profile>
      """
    let text = "<l><i due='2026.11.22'><t>A</t></i><i due=''><t>B</t></i><i><t>C</t></i></l>"
    let found = try read(profile, text)
    #expect(
      found == ["1||A|||2026-11-22", "1|||||unusable", "1|||||none", "1:36 empty-expiration"])
  }

  @Test func `Only an expiration that says so must not be empty`() throws {
    let profile = """
      <profile name="half" title="Half"><record path="/l/i"/>
        <expiration path="@due" form="yyyy.MM.dd" empty="error"/>
        <expiration path="@until" form="yyyy.MM.dd"/></profile>
      """
    let found = try read(
      profile, "<l><i until='2026.11.22'/><i until=''/><i until='' due=''/></l>")
    #expect(found == ["1|||||2026-11-22", "1|||||none", "1|||||unusable", "1:40 empty-expiration"])
  }

  @Test func `A book that was returned does not have the id of the one that is lent`() throws {
    let profile = """
      <profile name="back" title="Back"><record path="/l/i" lent="not(back != '')"/><id path="@no"/>
        <expiration path="due" form="yyyyMMdd"/></profile>
      """
    let text = """
      <l><i no="1"><due>20261022</due><back>20261020</back></i><i no="1"><due>20261122</due></i></l>
      """
    let found = try read(profile, text)
    #expect(found == ["1|||||none", "1|1||||2026-11-22"])
  }

  @Test func `A text inside a text belongs to both`() throws {
    let profile = """
      <profile name="mixed" title="Mixed">
        <record path="/l/b"/><title path="t"/><author path="t/by"/>
        <expiration path="d" form="yyyyMMdd" empty="error"/>
      </profile>
      """
    let text = "<l><b><t>Toldi, <by>Arany</by> I.</t><d>20261201</d></b><b><t>x</t><d/></b></l>"
    let found = try read(profile, text)
    #expect(
      found == [
        "1||Toldi, Arany I.|Arany||2026-12-01", "1|||||unusable", "1:68 empty-expiration",
      ])
  }

  @Test func `Two expirations that differ are an error, two that are alike are not`() throws {
    let profile = """
      <profile name="two" title="Two"><record path="/l/b"/><title path="t"/>
        <expiration path="d" form="yyyyMMdd"/></profile>
      """
    let text = """
      <l><b><t>A</t><d>20261201</d><d>20261201</d></b><b><t>B</t><d>20261201</d><d>20261202</d></b></l>
      """
    let found = try read(profile, text)
    #expect(
      found == [
        "1||A|||2026-12-01", "1|||||unusable", "1:75 duplicate-expiration",
      ])
  }

  @Test(arguments: ["xmlns='urn:b'", "xmlns:x='urn:b'", "xmlns:b='urn:b'"])
  func `Names without prefix are of the namespace that the record's path has`(
    namespace: String
  ) throws {
    let profile = """
      <profile name="bound" title="Bound" xmlns:b="urn:b"><record path="/b:l/b:i"/><title path="t"/>
        <expiration path="b:d" form="yyyyMMdd"/></profile>
      """
    let prefix = namespace.dropFirst(5).prefix { $0 != "=" }.dropFirst().map { "\($0)" }.joined()
    let colon = prefix.isEmpty ? "" : prefix + ":"
    let text = "<l \(namespace)><i><t>A</t><d>20261201</d></i></l>"
      .replacing("</", with: "\u{1}").replacing("<", with: "<" + colon)
      .replacing("\u{1}", with: "</" + colon)
    let found = try read(profile, text)
    #expect(found == ["1||A|||2026-12-01"])
  }

  @Test(arguments: ["<b n='5' d='20261201'>Abigél</b>", "<b d='20261201' n='5'>Abigél</b>"])
  func `An attribute of an element does not touch its text`(book: String) throws {
    let profile = """
      <profile name="own" title="Own"><record path="/l/b"/><title path="."/><id path="@n"/>
        <expiration path="@d" form="yyyyMMdd"/></profile>
      """
    #expect(try read(profile, "<l>\(book)</l>") == ["1|5|Abigél|||2026-12-01"])
    let inner = profile.replacing("path=\".\"", with: "path=\"t\"")
      .replacing("path=\"@n\"", with: "path=\"t/@n\"")
    let text = "<l><b d='20261201'><t n='5'>Abigél</t></b></l>"
    #expect(try read(inner, text) == ["1|5|Abigél|||2026-12-01"])
  }

  @Test func `Elements of one name that cannot be the record may tell of it`() throws {
    let profile = """
      <profile name="tags" title="Tags"><record path="/r/f[@n='2']"/><title path="../f[@n='1']"/>
        <expiration path="@d" form="yyyyMMdd"/></profile>
      """
    let text = "<r><f n='1'>Abigél</f><f n='2' d='20261201'/><f n='3'/></r>"
    #expect(try read(profile, text) == ["1||Abigél|||2026-12-01"])
  }

  @Test func `What means nothing counts for nothing, wherever it stands`() throws {
    let profile = """
      <profile name="none" title="None"><record path="/l/b"/><title path="t"/>
        <borrower path="f | s" none="-"/><expiration path="d" form="yyyy-MM-dd"/></profile>
      """
    func book(_ name: String) -> String {
      "<b><t>A</t>\(name)<d>0000-00-00</d><d>2026-12-01</d></b>"
    }
    let text =
      "<l>\(book("<f>Anna</f><s>-</s>"))\(book("<f>-</f><s>Kiss</s>"))\(book("<f>-</f><f>Bea</f>"))</l>"
    let found = try read(profile, text)
    #expect(
      found == ["1||A||Anna|2026-12-01", "1||A||Kiss|2026-12-01", "1||A||Bea|2026-12-01"])
  }

  @Test func `The volumes of a work are told apart, in whatever order they come`() throws {
    func keys(_ volumes: [String]) throws -> [String: LoanIdentity] {
      let loans = volumes.map { title in
        """
        <LoanedItem><DateDue>2026-12-01</DateDue><Title>\(title)</Title><Ext><BibliographicDescription>
        <BibliographicRecordId><BibliographicRecordIdentifier>R</BibliographicRecordIdentifier>
        </BibliographicRecordId></BibliographicDescription></Ext></LoanedItem>
        """
      }
      let text = """
        <NCIPMessage xmlns="http://www.niso.org/2008/ncip"><LookupUserResponse>\(loans.joined())
        </LookupUserResponse></NCIPMessage>
        """
      let reading = try CatalogueReader().reading(ofText: text)
      #expect(reading.diagnostics == [])
      #expect(reading.records.allSatisfy { $0.loan?.id == "R" })
      return Dictionary(
        uniqueKeysWithValues: reading.records.map { ($0.loan?.title ?? "", $0.identity) })
    }
    let alone = try keys(["Volume 2"])
    let both = try keys(["Volume 1", "Volume 2"])
    #expect(alone["Volume 2"] == both["Volume 2"])
    #expect(both["Volume 1"] != both["Volume 2"])
    #expect(try keys(["Volume 2", "Volume 1"]) == both)
  }

  @Test func `A number that is looked up may be shared, too`() throws {
    let profile = """
      <profile name="works" title="Works"><record path="/l/b"/><title path="@t"/>
        <expiration path="@d" form="yyyyMMdd"/>
        <lookup path="/l/w" key="@n" reference="@w"><id path="@id" shared="yes"/></lookup></profile>
      """
    let text = "<l><w n='1' id='W'/><b w='1' t='A' d='20261201'/><b w='1' t='B' d='20261201'/></l>"
    #expect(try read(profile, text) == ["1|W|A|||2026-12-01", "1|W|B|||2026-12-01"])
  }

  @Test func `Two institutions may have the same number`() throws {
    let text = """
      <response><reply-code>0</reply-code><loans>
      <institution id="A"><loan><itemId>7</itemId><dueDate>2026-12-01</dueDate><title>A</title></loan>
      </institution><institution id="B"><loan><itemId>7</itemId><dueDate>2026-12-01</dueDate>
      <title>B</title></loan></institution></loans></response>
      """
    #expect(try CatalogueReader().reading(ofText: text).diagnostics == [])
    let alike = try CatalogueReader().reading(
      ofText: text.replacing("<title>B<", with: "<title>A<"))
    #expect(alike.findings == ["3:35 duplicate-id"])
  }

  @Test func `What is wrong with a value around loans is told once`() throws {
    let profile = try CatalogueProfile(
      reading: Array(
        """
        <profile name="mail" title="Mail"><record path="/l/p/i"/>
        <email path="../@mail"/><title path="@t"/><expiration path="@d" form="yyyyMMdd"/></profile>
        """.utf8))
    let text = """
      <l><p mail='x'><i t='A' d='20261201'/><i t='B' d='20261202'/></p>
      <p mail='x'><i t='C' d='20261203'/><i t='D' d='2026123'/><i t='E' d='2026123'/></p></l>
      """
    var rules = CatalogueRules()
    rules.email = { bytes in
      bytes.indices.contains { bytes[$0] == UInt8(ascii: "@") }
        ? nil : Finding(.invalidEmail, "no @")
    }
    let reading = try CatalogueReader(profile: profile, rules: rules).reading(ofText: text)
    #expect(
      reading.findings == [
        "1:4 invalid-email", "2:1 invalid-email", "2:36 date-format", "2:58 date-format",
      ])
    #expect(reading.records.count == 5)
  }

  @Test func `The days of a loan are added`() throws {
    let profile = """
      <profile name="lent" title="Lent"><record path="/l/b"/><title path="t"/>
        <expiration path="@from" form="d/M/yyyy" plus="loan-days"/></profile>
      """
    let text = "<l><b from='1/12/2026'><t>A</t></b><b><t>B</t></b><b from='2/12/2026'/></l>"
    let found = try read(profile, text, loanDays: 28)
    #expect(
      found == [
        "1||A|||2026-12-29", "1|||||none", "1|||||2026-12-30", "1:51 missing-title",
      ])
    let unknown = try read(profile, text)
    #expect(unknown.contains("1:4 missing-loan-days"), "\(unknown)")
  }
}

/// What only the whole document tells.
struct UndatedLoanTests {
  private func reading(_ text: String) throws -> Reading {
    try CatalogueReader().reading(ofText: text)
  }

  @Test func `Loans of which none has a date are no proof that nothing is lent`() throws {
    let text = """
      <item_loans><item_loan><title>A</title><date_due>2026-12-01</date_due></item_loan>
      <item_loan><title>B</title><date_due>2026-12-01</date_due></item_loan></item_loans>
      """
    let undated = try reading(text)
    #expect(undated.diagnostics.map(\.code) == [.noExpirations])
    #expect(undated.summary.undated == 2)
    let one = try reading(text.replacing("<title>B", with: "<due_date></due_date><title>B"))
    #expect(one.diagnostics == [])
    #expect(one.summary.undated == 1)
  }

  @Test func `A document of which one part is not due is counted`() throws {
    let text = """
      <tellico xmlns="http://periapsis.org/tellico/"><borrowers><borrower name="Eszter">
      <loan uid="1" loanDate="2026-11-01" dueDate="2026-12-01"/>
      <loan uid="2" loanDate="2026-11-01" dueDate=""/><loan uid="3" loanDate="2026-11-01"/>
      <loan uid="4" loanDate="" dueDate=""/></borrower></borrowers></tellico>
      """
    let summary = try reading(text).summary
    #expect(summary.onShelf == 0)
    #expect(summary.withoutExpiration == 3)
    #expect(summary.uncounted == 2)
  }

  @Test func `The items of a holding are counted, whether they are lent or not`() throws {
    let text = """
      <items total_record_count="3"><item><item_data><pid>1</pid></item_data></item>
      <item><item_data><pid>2</pid><due_date>2026-12-01Z</due_date></item_data></item></items>
      """
    #expect(try reading(text).diagnostics.map(\.code) == [.missingTitle, .incompleteAnswer])
    let whole = try reading(text.replacing("=\"3\"", with: "=\"2\""))
    #expect(whole.diagnostics.map(\.code) == [.missingTitle])
  }

  @Test func `Two lookups of the same elements both count, and a text of its own is a dot`() throws
  {
    let profile = try CatalogueProfile(
      reading: Array(
        """
        <profile name="two" title="Two"><record path="/l/b"/>
        <expiration path="." form="yyyyMMdd"/>
        <lookup path="/l/t" key="@n" reference="@t"><title path="."/></lookup>
        <lookup path="/l/t" key="@n" reference="@t"><author path="@by"/></lookup></profile>
        """.utf8))
    let text = "<l><t n='1' by='Arany'>Toldi</t><b t='1'>20261201</b></l>"
    let loan = try CatalogueReader(profile: profile).reading(ofText: text).records.first?.loan
    #expect(loan?.title == "Toldi")
    #expect(loan?.author == "Arany")
    #expect(loan?.expiration == CivilDate(year: 2026, month: 12, day: 1))
  }
}
