import TestSupport
import Testing

@testable import Languages

@Suite struct TranslationReaderTests {
  private func fault(_ text: String) -> String? {
    do throws(TranslationError) {
      _ = try Language(reading: Array(text.utf8))
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func `Comments, old entries, several lines and a byte order mark are read`() throws {
    let text = translation(
      """
      # by hand
      #. Translators: this
      #, perl-brace-format
      #| msgid "before"
      msgid ""
      "English "
      \t"\\"text\\"\\t\\\\"
      msgstr ""\r
      "a "   \r
      "b"
      #~ msgid "old"
      #~ msgstr "old"

      #, perl-brace-format, fuzzy
      msgid "unsure"
      msgstr "nicht sicher"

      msgid "empty"
      msgstr ""
      msgctxt "one"
      msgid "same"
      msgstr "eins"
      msgctxt "two"
      msgid "same"
      msgstr "zwei"
      """)
    let language = try reading("\u{FEFF}" + text)
    #expect(language.text(message("English \"text\"\t\\")) == "a b")
    #expect(!language.translates(message("old")))
    #expect(language.text(message("unsure")) == "unsure")
    #expect(language.text(message("empty")) == "empty")
    #expect(language.text(message(context: "one", "same")) == "eins")
    #expect(language.text(message(context: "two", "same")) == "zwei")
    #expect(!language.translates(message("same")))
  }

  @Test(arguments: [
    ("msgid \"a\"", "line 7: this message has no msgstr"),
    ("msgstr \"a\"", "line 7: msgstr is not expected here"),
    ("msgid \"a\"\nmsgid \"b\"\nmsgstr \"\"", "line 8: msgid is not expected here"),
    ("msgid \"a\"\nmsgstr[0] \"b\"", "line 8: msgstr[0] is not expected here"),
    ("msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[1] \"\"", "line 9: msgstr[1] is not expected here"),
    ("msgctxt \"a\"\n\nmsgid_plural \"b\"", "line 9: msgid_plural is not expected here"),
    ("msgctxt \"a\"", "line 7: expected msgid after msgctxt"),
    ("#\n\"a\"", "line 8: this text belongs to no msgid or msgstr"),
    ("msgit \"a\"", "line 7: expected msgid, msgstr or a comment, found \"msgit\""),
    ("msgid a", "line 7: expected a text in quotation marks"),
    ("msgid", "line 7: expected a text in quotation marks"),
    ("msgid \"a", "line 7: the text lacks its closing quotation mark"),
    ("msgid \"a\\", "line 7: after a backslash, only n, t, \\ and \" are known"),
    ("msgid \"a\\x1b\"", "line 7: after a backslash, only n, t, \\ and \" are known"),
    (
      "msgid \"a\"b\"",
      "line 7: expected the end of the line after the text; write \\\" for a quotation mark"
    ),
    ("msgid \"{a}\"\nmsgstr \"{b}\"", "line 8: {b} is unknown; this text has {a}"),
    ("msgid \"{a}\"\nmsgstr \"b\"", "line 8: {a} is missing"),
    ("msgid \"{a\"\nmsgstr \"b\"", "line 7: a brace of the message has no counterpart"),
    (
      "msgid \"{a}\"\nmsgstr \"\"\n\"{a} {\"",
      "line 8: a brace has no counterpart; write {{ or }} for a brace"
    ),
    ("msgid \"a\"\nmsgstr \"b\\n\"", "line 8: the text must be one line"),
    (
      "msgid \"{count} a\"\nmsgid_plural \"{count} b\"\nmsgstr[0] \"{count}\"",
      "line 7: expected 2 plural forms as of the header, found 1"
    ),
    (
      "msgid \"{count} a\"\nmsgid_plural \"{count} b\"\nmsgstr[0] \"one\"\nmsgstr[1] \"more\"",
      "line 10: {count} is missing"
    ),
    (
      "msgid \"a\"\nmsgstr \"b\"\nmsgid \"a\"\nmsgstr \"c\"",
      "line 9: this message is in the file twice"
    ),
  ])
  func `What is wrong is named with its line`(entries: String, message: String) {
    #expect(fault(translation(entries)) == message)
  }

  @Test(arguments: [
    ("Language: xx\\n", "", "line 2: the header lacks Language"),
    ("Language: xx", "Language: x!", "line 3: Language must be a tag such as hu or pt-BR"),
    ("Content-Type", "Content", "line 2: the header lacks Content-Type"),
    ("UTF-8", "latin1", "line 4: expected charset=UTF-8 in Content-Type"),
    ("Plural-Forms", "Plural", "line 2: the header lacks Plural-Forms"),
    ("nplurals=2", "nplural=2", "line 5: expected \"nplurals=N; plural=EXPRESSION;\""),
    ("plural=n != 1;", "", "line 5: expected \"nplurals=N; plural=EXPRESSION;\""),
    ("nplurals=2", "nplurals=0", "line 5: nplurals must be a number from 1 to 10"),
    (
      "nplurals=2", "nplurals=99999999999999999999",
      "line 5: nplurals must be a number from 1 to 10"
    ),
    ("n != 1", "n != 1)", "line 5: the plural expression cannot be read from \")\" on"),
    ("n != 1", "", "line 5: the plural expression ends too early"),
    ("n != 1", "(n", "line 5: the plural expression ends too early"),
    ("n != 1", "n ? 1", "line 5: the plural expression ends too early"),
    ("n != 1", "system(1)", "line 5: the plural expression cannot be read from \"system(1)\" on"),
    ("n != 1", "n", "line 5: the plural expression gives 2 for n = 2, not below 2"),
    (
      "n != 1", "n-1",
      "line 5: the plural expression gives 18446744073709551615 for n = 0, not below 2"
    ),
    ("n != 1", "n/(n-5)>1", "line 5: the plural expression divides by zero for n = 5"),
    ("n != 1", "1%0", "line 5: the plural expression divides by zero for n = 0"),
    (
      "n != 1", String(repeating: "(", count: 400),
      "line 5: the plural expression is nested too deeply"
    ),
    (
      "n != 1", String(repeating: "!", count: 400),
      "line 5: the plural expression is nested too deeply"
    ),
    (
      "n != 1", String(repeating: "n+", count: 600),
      "line 5: the plural expression is longer than 1000 characters"
    ),
  ])
  func `A header must make sense`(part: String, other: String, message: String) {
    #expect(fault(translation("").replacing(part, with: other)) == message)
  }

  @Test func `A file without header is refused, and one that is not text`() {
    #expect(
      fault("") == "line 1: the file has no header, an empty msgid with Language and Plural-Forms")
    let bytes = Array(translation("# ").utf8) + [0xFF]
    #expect(throws: TranslationError(line: 7, message: "this is not UTF-8; save the file as UTF-8"))
    {
      try Language(reading: bytes)
    }
  }

  @Test func `The template is refused until its header is filled in`() {
    #expect(
      fault(String(decoding: KnownLanguages.template, as: UTF8.self))
        == "line 4: the header lacks Language")
  }

  @Test(arguments: translated)
  func `A file that is cut off anywhere is read as far as it goes, or named wrong`(
    tag: String
  ) throws {
    let path = "\(projectDirectory)/Translations/\(tag).po"
    let bytes = try File.bytes(of: path)
    let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    var refused = 0
    for end in stride(from: 0, to: bytes.count, by: 61) {
      do throws(TranslationError) {
        _ = try Language(reading: Array(bytes[..<end]))
      } catch {
        refused += 1
        #expect((1...lines).contains(error.line))
      }
    }
    #expect(refused > 100)
  }

  @Test func `Any bytes at all are read or refused`() {
    var dice = Dice(state: 7)
    let good = Array(translation("msgid \"{a}\"\nmsgid_plural \"{a}s\"\nmsgstr[0] \"{a}\"").utf8)
    for _ in 0..<3_000 {
      var bytes = good
      for _ in 0..<4 {
        bytes[Int.random(in: bytes.indices, using: &dice)] = UInt8.random(
          in: 0...255, using: &dice)
      }
      do throws(TranslationError) { _ = try Language(reading: bytes) } catch {
        #expect(error.line > 0 && !error.message.isEmpty)
      }
    }
  }

  @Test func `A huge file is read in time that grows with its size`() throws {
    let entries = (0..<50_000).map { "msgid \"\($0)\"\nmsgstr \"-\($0)\"\n" }.joined()
    let language = try reading(translation(entries))
    #expect(language.text(message("49999")) == "-49999")
  }
}

@Suite struct PluralRuleTests {
  /// Rules that are in use, from the manual of gettext, with what makes C's grammar hard.
  private static let rules = [
    "nplurals=1; plural=0;",
    "nplurals=2; plural=n>1;",
    "nplurals=3; plural=n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2;",
    "nplurals=3; plural=n==1 ? 0 : n==2 ? 1 : 2;",
    "nplurals=3; plural=n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2;",
    "nplurals=4; plural=n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3;",
    """
    nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 \
    : n%100>=11 ? 4 : 5;
    """,
    "nplurals=5; plural=n==1?0:n==2?1:n<7?2:n<11?3:4;",
    "nplurals=10; plural=(n*3+7-2*2)/4%5*2-1*0;",
    "nplurals=2; plural=!(n==1) && n>0 ? 1 : 0;",
    "nplurals=2; plural=1<n==1;",
    "nplurals=3; plural=n%3-2+2;",
  ]

  private static let evaluator = """
    import gettext, sys
    rule = gettext.c2py(sys.argv[1].split("plural=")[1].rstrip(";"))
    for number in range(2001): print(int(rule(number)))
    """

  @Test(arguments: rules)
  func `Python gives every number the same form`(text: String) async throws {
    let rule = try PluralRule(text)
    let forms = try await python(Self.evaluator, text)
    #expect(forms == (0...2_000).map { "\(rule.form(of: UInt($0)))" })
  }

  @Test func `A form that is for one number only is known`() throws {
    #expect(try PluralRule("nplurals=2; plural=n != 1;").formsForOneNumber == [0])
    #expect(try PluralRule("nplurals=2; plural=n > 1;").formsForOneNumber == [])
    #expect(
      try PluralRule("nplurals=3; plural=n==1 ? 0 : n==2 ? 1 : 2;").formsForOneNumber == [0, 1])
  }

  @Test func `A number beyond those that were tried has a form too`() throws {
    let rule = try PluralRule("nplurals=2; plural=n > 5000 ? n/(n-5001) : 1;")
    #expect(rule.form(of: 5_000) == 1)
    #expect(rule.form(of: 5_001) == 0, "a division by zero")
    #expect(rule.form(of: 5_002) == 0, "a form that is not there")
    #expect(rule.form(of: .max) == 1)
  }
}
