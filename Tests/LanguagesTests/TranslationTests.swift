import Loans
import TestSupport
import Testing

@testable import Languages

/// The translations that come with the program, against its sources and other programs.
@Suite struct TranslationTests {
  private static let folder = "\(projectDirectory)/Sources/Languages"

  /// The texts of all calls that make a message, as the sources have them.
  private func texts() throws -> [String] {
    let files = try File.names(in: "\(Self.folder)/Messages")
    let sources = try files.map { try File.text(of: "\(Self.folder)/Messages/\($0)") }.joined()
    let call =
      #/(?:message|plural)\(\s*(?:context: "(?<context>[^"]*)",\s*)?"(?<text>(?:[^"\\]|\\.)*)"/#
    return sources.matches(of: call).map { match in
      "\(match.context ?? "")|\(match.text.unescaped)"
    }
  }

  @Test func `The template has every message of the sources, and no other`() throws {
    let messages = try KnownLanguages.messages()
    let known = messages.map { "\($0.context ?? "")|\($0.text)" }
    #expect(Set(known) == Set(try texts()))
    #expect(Set(known).count == messages.count)
    #expect(messages.count > 100)
  }

  @Test(arguments: translated)
  func `A language has every message`(tag: String) throws {
    let language = try language(tag)
    let missing = try KnownLanguages.messages().filter { !language.translates($0) }
    #expect(missing.map(\.text) == [])
    #expect(language.tag == tag)
  }

  @Test(arguments: KnownLanguages.builtInTags)
  func `Every message of a language is put together for any number`(tag: String) throws {
    let language = try language(tag)
    for message in try KnownLanguages.messages() {
      for count in [0, 1, 2, 5, 11, 21, 22, 101] {
        let values = Dictionary(uniqueKeysWithValues: message.placeholders.map { ($0, "<\($0)>") })
        let text = language.text(message, values, count: count)
        #expect(!text.contains("{") && !text.contains("}") && !text.isEmpty)
        #expect(text.count < 3 * message.text.count + 40)
        if message.text.contains("{count}") { #expect(text.contains("\(count)"), "\(text)") }
        #expect(!text.contains("..") && !text.contains("  "))
      }
    }
  }

  @Test(arguments: [
    ("hu", "„Abigél” holnap lejár (2026. 11. 22.), szerző: Szabó Magda, olvasó: Anna"),
    ("de", "„Abigél“ ist morgen fällig (22.11.2026), von Szabó Magda, verliehen an Anna"),
    ("cs", "„Abigél“: výpůjční lhůta končí zítra (22. 11. 2026), autor: Szabó Magda, čtenář: Anna"),
    ("ru", "«Abigél»: срок истекает завтра (22.11.2026), автор: Szabó Magda, читатель: Anna"),
    ("zh", "《Abigél》明天到期（2026年11月22日），作者：Szabó Magda，借阅人：Anna"),
  ])
  func `A loan's line`(tag: String, line: String) throws {
    let today = try #require(CivilDate(year: 2026, month: 11, day: 21))
    let loan = Loan(
      title: "Abigél", author: "Szabó Magda", borrower: "Anna",
      expiration: today.adding(days: 1))
    #expect(loan.line(today: today, in: try language(tag)) == line)
  }

  private static let sentences = [
    (
      "en", "“Abigél” by Szabó Magda is due tomorrow, 22 November 2026, lent to Anna",
      "A is due today, 21 November 2026 at 18:00", "A is 7 days overdue (due 14 November 2026)"
    ),
    (
      "hu", "„Abigél” (Szabó Magda) határideje holnap jár le (2026. november 22.), olvasó: Anna",
      "A határideje ma jár le (2026. november 21. 18:00)",
      "A határideje 7 napja lejárt (2026. november 14.)"
    ),
    (
      "de", "„Abigél“ von Szabó Magda ist morgen fällig (22. November 2026), verliehen an Anna",
      "A ist heute fällig (21. November 2026 um 18:00)",
      "A ist seit 7 Tagen überfällig (fällig am 14. November 2026)"
    ),
    (
      "cs", "„Abigél“ (Szabó Magda): termín vrácení je zítra, 22. listopadu 2026, čtenář: Anna",
      "A: termín vrácení je dnes, 21. listopadu 2026 v 18:00",
      "A: 7 dní po termínu (termín byl 14. listopadu 2026)"
    ),
    (
      "ru",
      "«Abigél» (Szabó Magda): срок возврата истекает завтра, 22 ноября 2026 г., читатель: Anna",
      "A: срок возврата истекает сегодня, 21 ноября 2026 г. в 18:00",
      "A: возврат просрочен на 7 дней (срок истёк 14 ноября 2026 г.)"
    ),
    (
      "zh", "《Abigél》（Szabó Magda）明天到期（2026年11月22日），借阅人：Anna",
      "A今天到期（2026年11月21日 18:00）", "A已逾期 7 天（应还日期：2026年11月14日）"
    ),
  ]

  @Test(arguments: sentences)
  func `Borrowers read in their language that a book is due or overdue`(
    tag: String, line: String, today: String, late: String
  ) throws {
    let day = try #require(CivilDate(year: 2026, month: 11, day: 21))
    let language = try language(tag)
    var loan = Loan(
      title: "Abigél", author: "Szabó Magda", borrower: "Anna", expiration: day.adding(days: 1))
    let notice = Notice(rung: -1, loan: loan, catalogue: "-")
    #expect(notice.line(for: .message, today: day, in: language) == line)
    (loan.expiration, loan.expirationTime) = (day, CivilTime(secondOfDay: 18 * 3_600))
    #expect(loan.sentence("A", for: .message, today: day, isDated: true, in: language) == today)
    (loan.expiration, loan.expirationTime) = (day.adding(days: -7), nil)
    #expect(loan.sentence("A", for: .message, today: day, isDated: true, in: language) == late)
  }

  private static let counts = [
    ("en", ["0 days", "1 day", "2 days", "5 days", "21 days"], "is due in N", "is N overdue"),
    (
      "hu", ["0 nap", "1 nap", "2 nap", "5 nap", "21 nap"], "határideje N múlva jár le",
      "határideje Nja lejárt"
    ),
    (
      "de", ["0 Tagen", "1 Tag", "2 Tagen", "5 Tagen", "21 Tagen"], "ist in N fällig",
      "ist seit N überfällig"
    ),
    (
      "cs", ["0 dní", "1 den", "2 dny", "5 dní", "21 dní"], "termín vrácení je za N",
      "N po termínu"
    ),
    (
      "ru", ["0 дней", "1 день", "2 дня", "5 дней", "21 день"], "срок возврата истекает через N",
      "возврат просрочен на N"
    ),
    ("zh", ["0 天", "1 天", "2 天", "5 天", "21 天"], "还有 N到期", "已逾期 N"),
  ]

  @Test(arguments: counts)
  func `The days until a book is due, and since, are counted as the language counts`(
    tag: String, days: [String], soon: String, late: String
  ) throws {
    let language = try language(tag)
    for (count, days) in zip([0, 1, 2, 5, 21], days) {
      let texts = [Message.dueSoon, .overdue].map { language.text($0, ["title": ""], count: count) }
      #expect(texts[0].hasSuffix(soon.replacing("N", with: days)), "\(texts)")
      #expect(texts[1].hasSuffix(late.replacing("N", with: days)), "\(texts)")
    }
  }

  @Test(arguments: KnownLanguages.builtInTags)
  func `No sentence with a date in it ends twice`(tag: String) throws {
    let language = try language(tag)
    let date = language.longDate(try #require(CivilDate(year: 2026, month: 11, day: 22)))
    let messages: [Message] = [
      .returnOrRenew, .returnOrRenewAt, .returnOnly, .returnOnlyAt, .lateReturnOrRenew,
      .lateReturnOrRenewAt, .lateReturnOnly, .lateReturnOnlyAt, .mailClosedNote, .mailReopens,
      .mailReopened,
    ]
    for message in messages {
      let text = language.text(message, ["date": date])
      #expect(!text.contains("..") && text.contains(/[.。]$/), "\(text)")
    }
  }

  @Test(arguments: [
    ("en", 1, "This book is overdue."), ("en", 3, "These 3 books are overdue."),
    ("hu", 1, "Ennek a könyvnek lejárt a határideje."),
    ("hu", 3, "Ennek a 3 könyvnek lejárt a határideje."),
    ("de", 1, "Dieses Buch ist überfällig."), ("de", 3, "Diese 3 Bücher sind überfällig."),
    ("cs", 1, "Tato kniha je po termínu."), ("cs", 3, "Tyto 3 knihy jsou po termínu."),
    ("cs", 5, "Těchto 5 knih je po termínu."), ("ru", 1, "Просрочена 1 книга."),
    ("ru", 3, "Просрочены 3 книги."), ("ru", 5, "Просрочено 5 книг."),
    ("zh", 1, "以下 1 册图书已逾期"),
  ])
  func `A reader is told of one book or of several`(
    tag: String, count: Int, beginning: String
  ) throws {
    #expect(try language(tag).text(.mailIntroOverdue, count: count).hasPrefix(beginning))
  }

  @Test(arguments: [
    ("en", "Kind regards,\nL"), ("hu", "Üdvözlettel:\nL"), ("de", "Mit freundlichen Grüßen\nL"),
    ("cs", "S pozdravem\nL"), ("ru", "С уважением,\nL"), ("zh", "此致\n敬礼！\nL"),
  ])
  func `A letter ends with the sender`(tag: String, closing: String) throws {
    #expect(try language(tag).text(.mailClosing, ["sender": "L"]) == closing)
  }

  @Test(arguments: [
    ("en", 1, "This borrower"), ("en", 2, "These borrowers"), ("hu", 1, "Ezt az olvasót"),
    ("hu", 2, "Ezeket az olvasókat"), ("de", 1, "Diese Person war"),
    ("de", 2, "Diese Personen waren"), ("cs", 1, "Tohoto čtenáře"), ("cs", 5, "Tyto čtenáře"),
    ("ru", 1, "По электронной почте"), ("ru", 2, "Этих читателей"),
    ("ru", 21, "По электронной почте"), ("zh", 1, "以下读者"),
  ])
  func `The library is told of one reader or of several`(
    tag: String, count: Int, beginning: String
  ) throws {
    #expect(try language(tag).text(.deskIntro, count: count).hasPrefix(beginning))
  }

  @Test(arguments: [
    ("hu", "; aznap a könyvtár zárva tart, ezért pénteken", "péntekig"),
    ("cs", "v pátek", "do pátku"), ("ru", "в пятницу", "не позднее пятницы"),
    ("de", "am Freitag", "bis Freitag"), ("zh", "星期五", "星期五"),
  ])
  func `A weekday is in the case of its sentence`(
    tag: String, on: String, by: String
  ) throws {
    let friday = try #require(CivilDate(year: 2026, month: 11, day: 20))
    let days = OpenDays(before: friday, after: friday.adding(days: 7))
    let loan = Loan(title: "A", expiration: friday.adding(days: 1))
    let language = try language(tag)
    #expect(loan.line(today: friday, openDays: days, in: language).contains(by))
    let later = loan.line(today: friday.adding(days: 2), openDays: days, in: language)
    #expect(later.contains(on.split(separator: " ").last ?? ""), "\(later)")
  }

  /// The text of one message for every number up to 2,000, by polib and Python's own reading of the rule.
  private static let forms = """
    import gettext, polib, sys
    file = polib.pofile(sys.argv[1])
    rule = gettext.c2py(file.metadata["Plural-Forms"].split("plural=")[1].rstrip(";"))
    entry = file.find("{title} expires in {count} day")
    for number in range(2001):
        text = entry.msgstr_plural[rule(number)]
        print(text.replace("{count}", str(number)).replace("{title}", "T"))
    """

  @Test(arguments: translated)
  func `polib reads the same forms for the same numbers`(tag: String) async throws {
    let language = try language(tag)
    let lines = try await python(Self.forms, "\(Self.folder)/Translations/\(tag).po")
    #expect(
      lines == (0...2_000).map { language.text(.expiresLater, ["title": "T"], count: $0) })
  }

  private static let categories = """
    import babel, sys
    rule = babel.Locale(sys.argv[1]).plural_form
    for number in range(2001): print(rule(number))
    """

  @Test(arguments: translated)
  func `babel tells the same numbers apart`(tag: String) async throws {
    let language = try language(tag)
    var forms: [String: Set<String>] = [:]
    for (number, category) in try await python(Self.categories, tag).enumerated() {
      let text = language.text(.expiresLater, ["title": "T"], count: number)
      forms[category, default: []].insert(text.replacing("\(number)", with: "N"))
    }
    #expect(forms.count == language.pluralForms)
    #expect(forms.values.allSatisfy { $0.count == 1 }, "\(forms)")
  }

  private static let dates = """
    import datetime, babel.dates, sys
    day = datetime.date(2026, 1, 1)
    for number in range(365):
        print(babel.dates.format_date(day + datetime.timedelta(number), sys.argv[2], sys.argv[1]))
    """

  @Test(arguments: [
    ("hu", "short"), ("de", "medium"), ("cs", "medium"), ("ru", "short"), ("zh", "long"),
  ])
  func `babel writes every day of a year in the same way`(tag: String, form: String) async throws {
    let first = try #require(CivilDate(year: 2026, month: 1, day: 1))
    let language = try language(tag)
    let dates = try await python(Self.dates, tag, form)
    #expect(dates == (0..<365).map { language.date(first.adding(days: $0)) })
  }

  @Test(arguments: KnownLanguages.builtInTags)
  func `babel writes the months in the same way`(tag: String) async throws {
    let first = try #require(CivilDate(year: 2026, month: 1, day: 1))
    let language = try language(tag)
    let dates = try await python(Self.dates, tag == "en" ? "en_GB" : tag, "long")
    let days = (0..<365).map { language.longDate(first.adding(days: $0)) }
    // Russian has a space there that breaks no line.
    #expect(dates.map { $0.replacing(/[\u{A0}\u{202F}]/, with: " ") } == days)
  }
}

extension Substring {
  /// The text of a literal.
  fileprivate var unescaped: String {
    String(self).replacing("\\\"", with: "\"").replacing("\\n", with: "\n")
  }
}
