import Loans
import Testing

struct VisibleTextTests {
  /// Ranges of which every character is written as its number.
  static let hidden: [ClosedRange<UInt32>] = [
    0x00...0x1F, 0x7F...0x9F,  // C0, DEL and C1
    0xAD...0xAD, 0x180E...0x180E, 0x200B...0x200B, 0x2060...0x2064, 0xFEFF...0xFEFF,  // invisible
    0x061C...0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x206F,  // bidirectional
    0x2028...0x2029,  // separators of lines and paragraphs
    0xFFF9...0xFFFB,  // interlinear annotations
    0xE0001...0xE0001, 0xE0020...0xE007F,  // tags
  ]

  @Test(arguments: hidden)
  func `A character that steers or hides is written as its number`(range: ClosedRange<UInt32>) {
    for scalar in range.compactMap(Unicode.Scalar.init) {
      #expect("a\(scalar)b".visible == "a\\u{\(String(scalar.value, radix: 16))}b")
    }
  }

  @Test(arguments: [
    "", " ", "~", "Egri csillagok", "Tüskevár", "Abige\u{301}l", "\u{A0}", "日本語", "हिन्दी", "עברית",
    "می\u{200C}خواهم", "👩\u{200D}👧", "🏳️\u{200D}🌈", "🇭🇺", "e\u{301}\u{323}\u{30A}", "❤\u{FE0F}",
    "葛\u{E0100}", "\\u{1b}", "\u{FFFD}", "\u{E000}",
  ])
  func `An ordinary text is shown as it is`(text: String) {
    #expect(Array(text.visible.unicodeScalars) == Array(text.unicodeScalars))
  }

  /// Invisible, but some mark how the visible text beside them looks or is read.
  private static let kept: Set<UInt32> = [0x200C, 0x200D]
  /// These format characters are signs that are drawn.
  private static let drawn: [ClosedRange<UInt32>] = [
    0x600...0x605, 0x6DD...0x6DD, 0x70F...0x70F, 0x890...0x891, 0x8E2...0x8E2,
    0x110BD...0x110BD, 0x110CD...0x110CD, 0x13430...0x1343F,
  ]
  @Test func `Of all control and format characters only the joiners are shown as they are`() {
    var shown: [UInt32] = []
    for scalar in (0...0x10FFFF).compactMap(Unicode.Scalar.init) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        if !scalar.isUnsafeToShow { shown.append(scalar.value) }
      default: break
      }
    }
    let others = shown.filter { value in
      !Self.kept.contains(value) && !Self.drawn.contains { $0.contains(value) }
    }
    #expect(others == [])
    #expect(Self.kept.isSubset(of: shown))
  }

  /// Letters and marks by their category, but without a shape.
  private static let notDrawn: [Unicode.Scalar] = [
    "\u{34F}", "\u{115F}", "\u{1160}", "\u{17B4}", "\u{17B5}", "\u{3164}", "\u{FFA0}",
  ]

  @Test(arguments: notDrawn)
  func `A letter that is not drawn is written as its number`(scalar: Unicode.Scalar) {
    #expect(String(scalar).visible == "\\u{\(String(scalar.value, radix: 16))}")
  }

  @Test func `No other letter, mark, number, symbol or punctuation is changed`() {
    for scalar in (0...0x10FFFF).compactMap(Unicode.Scalar.init) where scalar.isUnsafeToShow {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned: break
      case _ where Self.notDrawn.contains(scalar): break
      default: Issue.record("\(String(scalar.value, radix: 16)) is written as its number")
      }
    }
  }

  @Test(arguments: [
    ("##[add-mask]x", #"#\u{23}[add-mask]x"#), ("a ##vso[task]", #"a #\u{23}vso[task]"#),
    ("###[", #"##\u{23}["#), ("##aZ[##[", #"#\u{23}aZ[#\u{23}["#),
    ("é##[\u{7}", #"é#\u{23}[\u{7}"#),
    ("##", "##"), ("#[1]", "#[1]"), ("C## [x]", "C## [x]"), ("##1[", "##1["), ("a#", "a#"),
  ])
  func `Nothing looks like a CI system's command in a line`(text: String, visible: String) {
    #expect(text.visible == visible)
  }

  @Test func `A visible text stays as it is`() {
    let text = (0...0x2FFF).compactMap(Unicode.Scalar.init).map(String.init).joined()
    #expect(text.visible.visible == text.visible)
    #expect(!text.visible.unicodeScalars.contains { $0.isUnsafeToShow })
  }
}

struct JSONStringTests {
  @Test(arguments: [
    ("##[x]", "\"#\\u0023[x]\""), ("###", "\"#\\u0023\\u0023\""), ("#a#", "\"#a#\""),
    ("#", "\"#\""),
  ])
  func `Two hashes in a row are not written as they are`(text: String, json: String) {
    #expect(JSONValue.string(text).text == json)
  }
}

struct CatalogueNameTests {
  @Test(arguments: [
    ("-", "standard input"), ("/srv/books.xml", "/srv/books.xml"), ("./-", "./-"),
    ("a\u{202E}b", "a\\u{202e}b"),
  ])
  func `A catalogue without a file is called standard input`(name: String, visible: String) {
    #expect(name.visibleCatalogue == visible)
  }
}

struct MarkupTests {
  @Test(arguments: [
    ("", ""), ("Egri csillagok", "Egri csillagok"), ("\\'\"", "\\'\""),
    ("<b>Fish & Chips</b>", "&lt;b&gt;Fish &amp; Chips&lt;/b&gt;"), ("&amp;", "&amp;amp;"),
    ("<\u{338}b", "&lt;\u{338}b"),
  ])
  func `A text is escaped so that nothing in it is markup`(text: String, escaped: String) {
    #expect(Array(text.escapedAsMarkup.unicodeScalars) == Array(escaped.unicodeScalars))
  }
}

struct ShortenedTextTests {
  static let texts = [
    "", "a", "Egri csillagok", "👩\u{200D}👩\u{200D}👧\u{200D}👦👨\u{200D}🚀x", "🇭🇺🇬🇧🇫🇷", "🇭🇺🇬",
    "e\u{301}\u{323}e\u{301}e", "नमस्ते", "각\u{1100}\u{1161}\u{11A8}", "a\r\nb\r\n", "👍🏽👍🏿👍",
    "❤\u{FE0F}❤\u{FE0F}", "\u{301}a", "1\u{FE0F}\u{20E3}2\u{FE0F}\u{20E3}",
  ]

  @Test(arguments: texts)
  func `A text is cut between characters only`(text: String) {
    let characters = Array(text)
    for limit in 0...characters.count + 2 {
      let expected =
        limit < characters.count ? characters.prefix(limit) + ["…"] : characters.prefix(limit)
      #expect(Array(text.shortened(to: limit)) == Array(expected), "limit \(limit)")
    }
  }

  @Test func `A text as long as the limit is not cut`() {
    let text = String(repeating: "é", count: 80)
    #expect(text.shortened(to: 80) == text)
    #expect((text + "é").shortened(to: 80) == text + "…")
  }

  @Test(arguments: [
    ("", "\"\""), ("2026.02.30", "\"2026.02.30\""), ("a\tb", "\"a\\u{9}b\""),
    (String(repeating: "x", count: 81), "\"\(String(repeating: "x", count: 80))…\""),
    (String(repeating: "\n", count: 81), "\"\(String(repeating: "\\u{a}", count: 80))…\""),
  ])
  func `A quoted text is visible, and has at most 80 characters`(text: String, quoted: String) {
    #expect(text.quoted() == quoted)
  }

  @Test func `A quoted text can be made shorter`() {
    #expect("2026.02.30".quoted(limit: 4) == "\"2026…\"")
  }
}
