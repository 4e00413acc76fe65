import Loans
import Testing

@testable import Languages

@Suite struct LanguageTests {
  private let day = CivilDate(year: 2026, month: 11, day: 5) ?? .first

  @Test func `English has a tag of its own, and two forms`() {
    #expect(Language.english.tag == "en")
    #expect(Language.english.pluralForms == 2)
  }

  @Test(arguments: [(0, "0 loans"), (1, "1 loan"), (2, "2 loans"), (1_000, "1000 loans")])
  func `A number chooses the form, and stands in it`(count: Int, text: String) {
    #expect(Language.english.text(.loans, count: count) == text)
  }

  @Test func `A value is never looked at for names in braces`() {
    let text = Language.english.text(
      .closedThen, ["weekday": "{date} {{ }", "date": "{weekday}{count}"], count: 7)
    #expect(
      text == "; the library is closed that day, so return it by {date} {{ } ({weekday}{count})")
    let loan = Loan(title: "{borrower}{{", borrower: "{title}", expiration: day)
    #expect(
      loan.line(today: day) == "\"{borrower}{{\" expires today (2026.11.05), lent to {title}")
  }

  @Test func `Two braces are one`() throws {
    let language = try reading(translation(#"msgid "{count} loan"\#nmsgstr "{{{count}}} }}{{x""#))
    #expect(language.text(message("{count} loan"), count: 3) == "{3} }{x")
  }

  @Test(arguments: [
    ("en", "2026.11.05", "\"A\""), ("hu", "2026. 11. 05.", "„A”"), ("de", "05.11.2026", "„A“"),
    ("cs", "5. 11. 2026", "„A“"), ("ru", "05.11.2026", "«A»"), ("zh", "2026年11月5日", "《A》"),
  ])
  func `Dates and quotation marks of reports are those of the language`(
    tag: String, date: String, title: String
  ) throws {
    let language = try language(tag)
    #expect(language.date(day) == date)
    #expect(Loan(title: "A", expiration: day).label(in: language) == title)
  }

  @Test(arguments: [
    ("en", "5 November 2026", "“A”"), ("hu", "2026. november 5.", "„A”"),
    ("de", "5. November 2026", "„A“"), ("cs", "5. listopadu 2026", "„A“"),
    ("ru", "5 ноября 2026 г.", "«A»"), ("zh", "2026年11月5日", "《A》"),
  ])
  func `Dates and quotation marks of messages are as people write them`(
    tag: String, date: String, title: String
  ) throws {
    let language = try language(tag)
    #expect(language.longDate(day) == date)
    #expect(Loan(title: "A", expiration: day).label(for: .message, in: language) == title)
  }

  @Test func `A year has four digits`() {
    #expect(Language.english.longDate(.first) == "1 January 0001")
    #expect(Language.english.date(.first) == CivilDate.first.dotted)
    #expect(Language.english.dateInSentence(.first) == CivilDate.first.description)
    #expect(Language.english.date(.last) == CivilDate.last.dotted)
  }

  @Test func `What is not translated is in English, by the rule of English`() throws {
    let text = translation("", plural: "nplurals=1; plural=0;")
    #expect(try reading(text).text(.loans, count: 2) == "2 loans")
    #expect(try reading(text).text(.loans, count: 1) == "1 loan")
  }

  @Test func `A wording of one's own comes before the translation, in the forms of the language`()
    throws
  {
    let russian = try language("ru").worded([
      .expiresLater: ["{count} a {title}", "{count} b {title}", "{count} c {title}"]
    ])
    let texts = [1, 2, 5, 21].map { russian.text(.expiresLater, ["title": "T"], count: $0) }
    #expect(texts == ["1 a T", "2 b T", "5 c T", "21 a T"])
    let english = Language.english.worded([
      .expiresToday: ["{title}: last day"], .expiresLater: ["only one: {title}"],
    ])
    #expect(english.text(.expiresToday, ["title": "T"], count: 0) == "T: last day")
    #expect(english.text(.expiresTomorrow, ["title": "T"], count: 1) == "T expires tomorrow")
    #expect(english.text(.expiresLater, ["title": "T"], count: 9) == "only one: T")
  }

  @Test(arguments: [
    ("{title} ist heute dran", nil), ("heute", "{title} is missing"),
    ("{titel}", "{titel} is unknown; this text has {title}"),
    ("{title} {", "a brace has no counterpart; write {{ or }} for a brace"),
    ("{title} }", "a brace has no counterpart; write {{ or }} for a brace"),
    ("{title} {}", "a brace has no counterpart; write {{ or }} for a brace"),
    ("{{{title}}}", nil), ("{title}\n", "the text must be one line"),
    ("{title}\u{1B}[31m", "the character \\u{1b} cannot be shown; leave it out"),
  ])
  func `A text in place of the English one is checked`(text: String, fault: String?) {
    #expect(Message.expiresToday.fault(in: text) == fault)
  }

  @Test
  func `A number may be missing where it is always the same, and anything where that is allowed`() {
    #expect(Message.loans.fault(in: "one loan") == "{count} is missing")
    #expect(Message.loans.fault(in: "one loan", isForOneNumber: true) == nil)
    #expect(Message.expiresToday.fault(in: "today", mayOmit: true) == nil)
    #expect(
      Message.expiresToday.fault(in: "to\nday", mayOmit: true) == "the text must be one line")
    #expect(Message.mailClosing.fault(in: "Yours,\n\nthe desk", mayOmit: true) == nil)
    #expect(Message.runList.fault(in: "{a}") == "{a} is unknown; this text has no values")
  }
}

@Suite struct KnownLanguagesTests {
  @Test(arguments: [
    ("hu", "hu"), ("hu_HU.UTF-8", "hu"), ("hun", "hu"), ("HU", "hu"), ("ger", "de"),
    ("deu", "de"), ("de-AT-1996", "de"), ("de_AT@euro", "de"), ("cze", "cs"), ("ces", "cs"),
    ("rus", "ru"), ("zh-Hans-CN", "zh"), ("zh_TW.Big5", "zh"), ("chi", "zh"), ("zho", "zh"),
    ("en_GB", "en"), ("eng", "en"), ("xx", nil), ("x-hu", nil), ("", nil), ("-", nil), (".", nil),
    ("C", nil), ("C.UTF-8", nil), ("pt_BR", nil), ("h", nil), ("húngaro", nil),
  ])
  func `A language is found by a tag, a locale or a code, cut until one fits`(
    text: String, tag: String?
  ) {
    #expect(KnownLanguages().language(for: text)?.tag == tag)
  }

  @Test func `A language from a file is found by its tag, and replaces another`() throws {
    let brazilian = KnownLanguages(own: try reading(translation("", tag: "pt_BR")))
    #expect(brazilian.language(for: "pt_BR.UTF-8")?.tag == "pt-BR")
    #expect(brazilian.language(for: "pt") == nil)
    #expect(brazilian.language(for: "hu")?.translates(.loans) == true)
    let own = KnownLanguages(own: try reading(translation("", tag: "hu")))
    #expect(own.language(for: "hun")?.translates(.loans) == false)
  }

  @Test(arguments: [
    ([:], "en"), (["LANG": "hu_HU.UTF-8"], "hu"), (["LANG": "xx_XX"], "en"), (["LANG": ""], "en"),
    (["LANG": "hu_HU", "LC_ALL": "de_DE"], "de"), (["LANG": "hu_HU", "LC_ALL": ""], "hu"),
    (["LANG": "hu_HU", "LC_MESSAGES": "cs_CZ"], "cs"),
    (["LC_MESSAGES": "cs_CZ", "LC_ALL": "ru_RU"], "ru"),
    (["LANG": "hu_HU", "LC_ALL": "C"], "en"), (["LANG": "hu_HU", "LC_ALL": "POSIX"], "en"),
    (["LANG": "hu_HU", "LANGUAGE": "de"], "de"), (["LANG": "hu_HU", "LANGUAGE": "fr:zh:de"], "zh"),
    (["LANG": "hu_HU", "LANGUAGE": "fr"], "en"), (["LANG": "hu_HU", "LANGUAGE": ""], "hu"),
    (["LANG": "C", "LANGUAGE": "de"], "en"), (["LANGUAGE": "de"], "en"),
    (["LANG": "C.UTF-8", "LANGUAGE": "de"], "de"), (["LANG": "C.UTF-8"], "en"),
  ])
  func `The environment chooses in the order of POSIX, LANGUAGE first unless the locale is C`(
    variables: [String: String], tag: String
  ) {
    #expect(KnownLanguages().language(of: variables).tag == tag)
  }
}
