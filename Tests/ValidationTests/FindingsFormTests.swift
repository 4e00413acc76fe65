import Loans
import TestSupport
import Testing

@testable import CommandOutput
@testable import Validation
@testable import LoanCatalogue

/// The forms of the results of `validate`, byte for byte.
struct FindingsFormTests {
  private static let clean = Catalogue("books.xml", loans: 2)

  private static let wrongDate: Catalogue = {
    var diagnostic = Diagnostic(
      .dateFormat, at: SourceLocation(line: 9, column: 12), endColumn: 22,
      message: "expiration \"2026-12-01\" is not of the form yyyy.MM.dd; did you mean 2026.12.01?",
      value: "2026-12-01", loan: "Abigél", replacement: "2026.12.01")
    diagnostic.fingerprint = 0xABC_DEF0_1234
    return Catalogue(
      "./books.xml", loans: 2, [diagnostic], sourceLine: "<b>é</b><e>2026-12-01</e>")
  }()

  /// A text that tries to be whatever it can, but not a line.
  private static let attack =
    "]]><b>&\"' [a](b) {0} ``##[add-mask]x %0A,\u{1B}\u{9B}\u{202E}\u{2028}\u{FFFE}👩"

  private static let hostile: Catalogue = {
    var diagnostic = Diagnostic(
      .unlikelyDate, at: SourceLocation(line: 1, column: 2), message: "odd: \(attack.quoted())",
      value: attack, loan: attack)
    diagnostic.fingerprint = .max
    return Catalogue("::x: \(attack)\r\n::y.xml", loans: 1, [diagnostic])
  }()

  private static let unread = Catalogue(
    "gone.xml", failure: "gone.xml: cannot read the catalogue: no such file or directory")

  @Test(arguments: [
    (FindingsFormat.text, ""),
    (
      .json,
      #"""
      {"version":1,"files":1,"loans":2,"errors":0,"warnings":0,"omitted":0,"diagnostics":[],"unread":[],\#
      "catalogues":[{"path":"books.xml","profile":null}]}

      """#
    ),
    (.github, ""),
    (.gitlab, "[]\n"),
    (
      .junit,
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="check-loans" tests="1" failures="0" errors="0" skipped="0">
      <testsuite name="check-loans" tests="1" failures="0" errors="0" skipped="0">
      <testcase name="the catalogue is without problems" classname="books.xml" file="books.xml"/>
      </testsuite>
      </testsuites>

      """
    ),
    (
      .checkstyle,
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <checkstyle version="4.3">
      <file name="books.xml">
      </file>
      </checkstyle>

      """
    ),
    (.rdjsonl, ""),
    (
      .sarif,
      """

      ],"invocations":[{"executionSuccessful":true,"toolExecutionNotifications":[]}]}]}

      """
    ),
  ])
  func `A catalogue without problems`(format: FindingsFormat, expected: String) {
    #expect(Self.text(format, [Self.clean]).withoutSARIFHead == expected)
  }

  @Test(arguments: [
    (
      FindingsFormat.text,
      #"""
      ./books.xml:9:12: error: expiration "2026-12-01" is not of the form yyyy.MM.dd; did you \#
      mean 2026.12.01? [date-format]

      """#
    ),
    (
      .json,
      #"""
      {"version":1,"files":1,"loans":2,"errors":1,"warnings":0,"omitted":0,"diagnostics":[\#
      {"path":"./books.xml","line":9,"column":12,"endColumn":22,"severity":"error",\#
      "code":"date-format","message":"expiration \"2026-12-01\" is not of the form yyyy.MM.dd; \#
      did you mean 2026.12.01?","value":"2026-12-01","loan":"Abigél",\#
      "replacement":"2026.12.01","fingerprint":"00000abcdef01234"}],"unread":[],\#
      "catalogues":[{"path":"./books.xml","profile":null}]}

      """#
    ),
    (
      .github,
      #"""
      ::error file=books.xml,line=9,endLine=9,col=12,endColumn=22,title=date-format::\#
      expiration "2026-12-01" is not of the form yyyy.MM.dd; did you mean 2026.12.01?

      """#
    ),
    (
      .gitlab,
      #"""
      [{"description":"expiration \"2026-12-01\" is not of the form yyyy.MM.dd; did you mean \#
      2026.12.01?","check_name":"date-format",\#
      "fingerprint":"83cc2ca060d461de00000abcdef01234","severity":"major",\#
      "location":{"path":"books.xml","lines":{"begin":9}}}]

      """#
    ),
    (
      .junit,
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="check-loans" tests="1" failures="1" errors="0" skipped="0">
      <testsuite name="check-loans" tests="1" failures="1" errors="0" skipped="0">
      <testcase name="date-format, &quot;Abigél&quot; (00000abcdef01234)" \
      classname="./books.xml" file="./books.xml" line="9">\
      <failure message="expiration &quot;2026-12-01&quot; is not of the form yyyy.MM.dd; did \
      you mean 2026.12.01?" type="date-format">\
      ./books.xml:9:12: error: expiration &quot;2026-12-01&quot; is not of the form yyyy.MM.dd; \
      did you mean 2026.12.01? [date-format]</failure></testcase>
      </testsuite>
      </testsuites>

      """
    ),
    (
      .checkstyle,
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <checkstyle version="4.3">
      <file name="./books.xml">
      <error line="9" column="12" severity="error" \
      message="expiration &quot;2026-12-01&quot; is not of the form yyyy.MM.dd; did you mean \
      2026.12.01?" source="check-loans.date-format"/>
      </file>
      </checkstyle>

      """
    ),
    (
      .rdjsonl,
      #"""
      {"message":"`expiration \"2026-12-01\" is not of the form yyyy.MM.dd; did you mean \#
      2026.12.01?`","location":{"path":"books.xml","range":{"start":{"line":9,"column":13},\#
      "end":{"line":9,"column":23}}},"severity":"ERROR","source":{"name":"check-loans"},\#
      "code":{"value":"date-format"},"suggestions":[{"range":{"start":{"line":9,"column":13},\#
      "end":{"line":9,"column":23}},"text":"2026.12.01"}]}

      """#
    ),
    (
      .sarif,
      #"""
      {"ruleId":"date-format","ruleIndex":10,"level":"error","message":{"text":\#
      "expiration \"2026-12-01\" is not of the form yyyy.MM.dd; did you mean 2026.12.01?"},\#
      "locations":[{"physicalLocation":{"artifactLocation":{"uri":"books.xml",\#
      "uriBaseId":"%SRCROOT%"},"region":{"startLine":9,"startColumn":12,"endLine":9,\#
      "endColumn":22}}}],"partialFingerprints":{"loanFinding/v1":"00000abcdef01234"},\#
      "fixes":[{"description":{"text":"write 2026.12.01"},"artifactChanges":[\#
      {"artifactLocation":{"uri":"books.xml","uriBaseId":"%SRCROOT%"},"replacements":[\#
      {"deletedRegion":{"startLine":9,"startColumn":12,"endLine":9,"endColumn":22},\#
      "insertedContent":{"text":"2026.12.01"}}]}]}]}
      ],"invocations":[{"executionSuccessful":true,"toolExecutionNotifications":[]}]}]}

      """#
    ),
  ])
  func `An error with a replacement`(format: FindingsFormat, expected: String) {
    #expect(Self.text(format, [Self.wrongDate]).withoutSARIFHead == expected)
  }

  @Test(arguments: [
    (
      FindingsFormat.text,
      #"""
      ./::x: ]]><b>&"' [a](b) {0} ``#\u{23}[add-mask]x %0A,\u{1b}\u{9b}\u{202e}\u{2028}\#u{FFFE}👩\#
      \u{d}\u{a}::y.xml:1:2: warning: odd: "]]><b>&"' [a](b) {0} ``#\u{23}[add-mask]x %0A,\#
      \u{1b}\u{9b}\u{202e}\u{2028}\#u{FFFE}👩" [unlikely-date]

      """#
    ),
    (
      .github,
      #"""
      ::warning file=%3A%3Ax%3A ]]><b>&"' [a](b) {0} ``##[add-mask]x %250A%2C\u{1b}\u{9b}\#
      \u{202e}\u{2028}\#u{FFFE}👩%0D%0A%3A%3Ay.xml,line=1,endLine=1,col=2,title=unlikely-date::\#
      odd: "]]><b>&"' [a](b) {0} ``#\u{23}[add-mask]x %250A,\u{1b}\u{9b}\u{202e}\u{2028}\#u{FFFE}👩"

      """#
    ),
    (
      .junit,
      #"""
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="check-loans" tests="1" failures="0" errors="0" skipped="0">
      <testsuite name="check-loans" tests="1" failures="0" errors="0" skipped="0">
      <testcase name="unlikely-date, &quot;]]&gt;&lt;b&gt;&amp;&quot;&#39; [a](b) {0} ``#\#
      \u{23}[add-mask]x %0A,\u{1b}\u{9b}\u{202e}\u{2028}\u{fffe}👩&quot; (ffffffffffffffff)" \#
      classname="::x: ]]&gt;&lt;b&gt;&amp;&quot;&#39; [a](b) {0} ``#&#x23;[add-mask]x %0A,\#
      \u{1b}&#x9b;&#x202e;&#x2028;\u{fffe}👩&#xd;&#xa;::y.xml" \#
      file="::x: ]]&gt;&lt;b&gt;&amp;&quot;&#39; [a](b) {0} ``#&#x23;[add-mask]x %0A,\#
      \u{1b}&#x9b;&#x202e;&#x2028;\u{fffe}👩&#xd;&#xa;::y.xml" line="1"><system-out>\#
      ./::x: ]]&gt;&lt;b&gt;&amp;&quot;&#39; [a](b) {0} ``#\u{23}[add-mask]x %0A,\u{1b}\u{9b}\#
      \u{202e}\u{2028}\u{fffe}👩\u{d}\u{a}::y.xml:1:2: warning: odd: &quot;]]&gt;&lt;b&gt;&amp;\#
      &quot;&#39; [a](b) {0} ``#\u{23}[add-mask]x %0A,\u{1b}\u{9b}\u{202e}\u{2028}\u{fffe}👩\#
      &quot; [unlikely-date]</system-out></testcase>
      </testsuite>
      </testsuites>

      """#
    ),
    (
      .checkstyle,
      #"""
      <?xml version="1.0" encoding="UTF-8"?>
      <checkstyle version="4.3">
      <file name="::x: ]]&gt;&lt;b&gt;&amp;&quot;&#39; [a](b) {0} ``#&#x23;[add-mask]x %0A,\#
      \u{1b}&#x9b;&#x202e;&#x2028;\u{fffe}👩&#xd;&#xa;::y.xml">
      <error line="1" column="2" severity="warning" message="odd: &quot;]]&gt;&lt;b&gt;&amp;\#
      &quot;&#39; [a](b) {0} ``#\u{23}[add-mask]x %0A,\u{1b}\u{9b}\u{202e}\u{2028}\u{fffe}👩\#
      &quot;" source="check-loans.unlikely-date"/>
      </file>
      </checkstyle>

      """#
    ),
    (
      .rdjsonl,
      #"""
      {"message":"```odd: \"]]><b>&\"' [a](b) {0} ``#\\u{23}[add-mask]x %0A,\\u{1b}\\u{9b}\#
      \\u{202e}\\u{2028}\#u{FFFE}👩\"```","location":{"path":"::x: ]]><b>&\"' [a](b) {0} ``#\u0023\#
      [add-mask]x %0A,\u001b\u009b\u202e\u2028\#u{FFFE}👩\u000d\n::y.xml","range":{"start":{"line":1}}},\#
      "severity":"WARNING","source":{"name":"check-loans"},"code":{"value":"unlikely-date"}}

      """#
    ),
    (
      .sarif,
      #"""
      {"ruleId":"unlikely-date","ruleIndex":18,"level":"warning","message":{"text":\#
      "odd: \"]]><b>&\"' [a] (b) { 0} ``#\\u{ 23}[add-mask]x %0A,\\u{ 1b}\\u{ 9b}\\u{ 202e}\#
      \\u{ 2028}\#u{FFFE}👩\""},"locations":[{"physicalLocation":{"artifactLocation":{"uri":\#
      "%3A%3Ax%3A%20%5D%5D%3E%3Cb%3E%26%22%27%20%5Ba%5D%28b%29%20%7B0%7D%20%60%60%23%23%5B\#
      add-mask%5Dx%20%250A%2C%1B%C2%9B%E2%80%AE%E2%80%A8%EF%BF%BE%F0%9F%91%A9%0D%0A%3A%3Ay.xml",\#
      "uriBaseId":"%SRCROOT%"},"region":{"startLine":1,"startColumn":2}}}],\#
      "partialFingerprints":{"loanFinding/v1":"ffffffffffffffff"}}
      ],"invocations":[{"executionSuccessful":true,"toolExecutionNotifications":[]}]}]}

      """#
    ),
  ])
  func `A warning whose texts try to be something else`(
    format: FindingsFormat, expected: String
  ) {
    let text = Self.text(format, [Self.hostile]).withoutSARIFHead
    #expect(Array(text.unicodeScalars) == Array(expected.unicodeScalars), "\(text)")
  }

  @Test(arguments: [
    (
      FindingsFormat.json,
      #"""
      {"version":1,"files":1,"loans":2,"errors":8,"warnings":0,"omitted":7,"diagnostics":[
      """#
    ),
    (
      .github,
      #"""
      ::error file=gone.xml,title=not-read::gone.xml: cannot read the catalogue: no such file \#
      or directory

      """#
    ),
    (
      .gitlab,
      #"""
      ,
      {"description":"gone.xml: cannot read the catalogue: no such file or directory",\#
      "check_name":"not-read","fingerprint":"5a70c4baeafa00e90000000000000000",\#
      "severity":"blocker","location":{"path":"gone.xml","lines":{"begin":1}}}]

      """#
    ),
    (
      .junit,
      #"""
      <testcase name="the catalogue can be read" classname="gone.xml" file="gone.xml">\#
      <error message="gone.xml: cannot read the catalogue: no such file or directory" \#
      type="not-read">gone.xml: cannot read the catalogue: no such file or directory</error>\#
      </testcase>
      <system-out>1 file, 2 loans: 8 errors, 0 warnings (7 not shown, because of --max-diagnostics), 1 file not read\#
      </system-out>
      </testsuite>
      </testsuites>

      """#
    ),
    (
      .checkstyle,
      #"""
      <file name="gone.xml">
      <error line="1" column="1" severity="error" \#
      message="gone.xml: cannot read the catalogue: no such file or directory" \#
      source="check-loans.not-read"/>
      </file>
      </checkstyle>

      """#
    ),
    (
      .rdjsonl,
      #"""
      {"message":"`gone.xml: cannot read the catalogue: no such file or directory`",\#
      "location":{"path":"gone.xml"},"severity":"ERROR","source":{"name":"check-loans"},\#
      "code":{"value":"not-read"}}

      """#
    ),
    (
      .sarif,
      #"""
      ],"invocations":[{"executionSuccessful":false,"toolExecutionNotifications":[\#
      {"level":"error","message":{"text":\#
      "gone.xml: cannot read the catalogue: no such file or directory"},\#
      "locations":[{"physicalLocation":{"artifactLocation":{"uri":"gone.xml",\#
      "uriBaseId":"%SRCROOT%"}}}]},{"level":"warning","message":{"text":\#
      "7 problems not shown"}}]}]}]}

      """#
    ),
  ])
  func `A catalogue that could not be read, and problems left out`(
    format: FindingsFormat, expected: String
  ) {
    let text = Self.text(format, [Self.wrongDate, Self.unread], omitted: 7)
    #expect(text.contains(expected), "\(text)")
  }

  @Test func `GitHub's limit is told of where it is reached`() {
    let catalogues = Array(repeating: Self.wrongDate, count: 11)
    #expect(!Self.text(.github, Array(catalogues.dropLast())).contains("at most"))
    #expect(
      Self.text(.github, catalogues).hasSuffix(
        """
        check-loans: GitHub shows at most 10 errors and 10 warnings of a step

        """))
  }

  @Test func `Findings of several catalogues stand in one list`() throws {
    let catalogues = [Self.wrongDate, Self.clean, Self.hostile, Self.unread, Self.wrongDate]
    let json = try JSON(parsing: Self.text(.json, catalogues))
    #expect(json.diagnostics.elements.map { $0.line } == [9, 1, 9])
    #expect(json.diagnostics[1].value.text == Self.attack)
    #expect(try JSON(parsing: Self.text(.gitlab, catalogues)).elements.count == 4)
    let sarif = try JSON(parsing: Self.text(.sarif, catalogues)).runs[0]
    #expect(sarif.results.elements.count == 3)
    let codes = sarif.tool.driver.rules.elements.map { $0.id.text }
    #expect(codes == Diagnostic.Code.allCases.map(\.rawValue))
  }

  @Test(arguments: FindingsFormat.allCases)
  func `No text of a catalogue steers what the results are shown by`(format: FindingsFormat) {
    let text = Self.text(format, [Self.hostile, Self.unread])
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isUnsafeToShow })
    for line in text.split(separator: "\n") {
      if format == .github && line.hasPrefix("::") {
        #expect(line.hasPrefix("::error ") || line.hasPrefix("::warning "))
      } else {
        #expect(!line.hasPrefix(":") && !line.contains("##["))
      }
    }
  }

  @Test(
    arguments: [
      (nil, nil, #"{"start":{"line":9}}"#),
      ("a", nil, #"{"start":{"line":9}}"#),
      ("<b>2026-12-01</b>", nil, #"{"start":{"line":9,"column":4}}"#),
      ("ű👩x2026-12-01", 14, #"{"start":{"line":9,"column":8},"end":{"line":9,"column":18}}"#),
      ("ű👩x2026", 14, #"{"start":{"line":9,"column":8}}"#),
    ] as [(String?, Int?, String)])
  func `reviewdog's columns count the bytes of a known line`(
    line: String?, endColumn: Int?, range: String
  ) {
    let diagnostic = Diagnostic(
      .dateFormat, at: SourceLocation(line: 9, column: 4), endColumn: endColumn, message: "no",
      replacement: "2026.12.01")
    let text = Self.text(.rdjsonl, [Catalogue("books.xml", [diagnostic], sourceLine: line)])
    #expect(text.contains("\"range\":\(range)},\"severity\""), "\(text)")
    #expect(text.contains("suggestions") == range.contains("end"))
  }
}

extension String {
  /// The text without what is the same in all results of the form SARIF.
  fileprivate var withoutSARIFHead: String {
    split(separator: "\"results\":[\n", maxSplits: 1, omittingEmptySubsequences: false).last
      .map(String.init) ?? self
  }
}

struct RepositoryPathTests {
  @Test(arguments: [
    ("books.xml", "books.xml"), ("./a/../b.xml", "a/../b.xml"), (".//x", "x"), ("a:b", "a%3Ab"),
    ("/srv/my books/é.xml", "file:///srv/my%20books/%C3%A9.xml"), ("-_~.", "-_~."),
    ("100%.xml", "100%25.xml"), ("#?", "%23%3F"), (".", "."), ("./", "./"),
  ])
  func `A path is a URI`(path: String, uri: String) {
    #expect(path.asURI == uri)
  }
}

/// What was found in one catalogue.
private struct Catalogue {
  var tally: FileTally
  var findings: [LocatedDiagnostic]

  init(
    _ path: String, loans: Int = 0, _ diagnostics: [Diagnostic] = [], sourceLine: String? = nil,
    failure: String? = nil
  ) {
    tally = FileTally(path: path, repositoryPath: path, records: loans, loans: loans)
    tally.errors = diagnostics.count { $0.severity == .error }
    tally.warnings = diagnostics.count - tally.errors
    tally.failure = failure
    findings = diagnostics.map { LocatedDiagnostic(path: path, diagnostic: $0) }
    for index in findings.indices {
      findings[index].excerpt = sourceLine.map {
        SourceExcerpt(text: $0, firstColumn: 1, isCutAfter: false)
      }
    }
  }
}

extension FindingsFormTests {
  fileprivate static func text(
    _ format: FindingsFormat, _ catalogues: [Catalogue], omitted: Int = 0
  ) -> String {
    let form = format.form
    let tally = FindingsTally(catalogues.map(\.tally), omitted: omitted)
    var isFirst = true
    var text = form.head(tally)
    for catalogue in catalogues {
      let file = catalogue.tally
      text += form.head(ofFile: file)
      for var finding in catalogue.findings {
        if form.lineWidth == nil { finding.excerpt = nil }
        text += (isFirst ? "" : form.separator) + form.text(of: finding)
        isFirst = false
      }
      text += form.tail(ofFile: file)
    }
    return text + form.tail(tally)
  }
}

extension FindingsTally {
  fileprivate init(_ files: [FileTally], omitted: Int = 0) {
    self.init(files: files, omitted: omitted)
    // They were counted, too.
    if omitted > 0 { self.files[0].errors += omitted }
  }
}
