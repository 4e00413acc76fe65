import TestSupport
import Testing

@testable import CommandOutput
@testable import Settings

/// `--language`, `--translation` and `languages`.
struct LanguageOptionTests {
  static let dutch = """
    msgid ""
    msgstr ""
    "Language: nl\\n"
    "Content-Type: text/plain; charset=UTF-8\\n"
    "Plural-Forms: nplurals=2; plural=n != 1;\\n"

    msgctxt "name of the language"
    msgid "English"
    msgstr "Nederlands"

    msgid "{title} expires tomorrow"
    msgstr "{title} vervalt morgen"

    """

  private func desk() throws -> Desk {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22"), ("{title}", "2026.11.14")))
    try desk.folder.write(Self.dutch, to: "nl.po")
    return desk
  }

  @Test(arguments: [
    (
      "hu",
      """
      „{title}” 7 napja lejárt (2026. 11. 14.)
      „Abigél” holnap lejár (2026. 11. 22.)
      2 kölcsönzés, 1 lejárt, 0 ma jár le, 1 ütemezve, nincs több emlékeztető

      """
    ),
    (
      "de",
      """
      „{title}“ ist seit 7 Tagen überfällig (14.11.2026)
      „Abigél“ ist morgen fällig (22.11.2026)
      2 Ausleihen, 1 überfällig, 0 heute fällig, 1 eingeplant, keine weitere Erinnerung

      """
    ),
    (
      "cs",
      """
      „{title}“: výpůjční lhůta skončila před 7 dny (14. 11. 2026)
      „Abigél“: výpůjční lhůta končí zítra (22. 11. 2026)
      2 výpůjčky, 1 po lhůtě, 0 končí dnes, 1 naplánována, žádná další připomínka

      """
    ),
    (
      "ru",
      """
      «{title}»: срок истёк 7 дней назад (14.11.2026)
      «Abigél»: срок истекает завтра (22.11.2026)
      2 выдачи, 1 просрочена, у 0 срок истекает сегодня, 1 запланирована, напоминаний больше не будет

      """
    ),
    (
      "zh-Hans-CN",
      """
      《{title}》已逾期 7 天（2026年11月14日）
      《Abigél》明天到期（2026年11月22日）
      共 2 笔借阅，1 笔已逾期，0 笔今天到期，1 笔已安排提醒，没有后续提醒

      """
    ),
  ])
  func `A report is in the language that is asked for`(tag: String, report: String) async throws {
    let desk = try desk()
    let asked = try await desk.run("--language", tag, "books.xml")
    #expect(asked.outcome == Outcome(0, output: report))
    let locale = tag.replacing("-Hans-CN", with: "") + "_XX.UTF-8"
    let found = try await desk.run("books.xml", variables: ["LC_ALL": locale])
    #expect(found.outcome == asked.outcome, "the locale is not installed")
  }

  @Test func `The environment alone is enough, and English is what it asks for by default`()
    async throws
  {
    let desk = try desk()
    func firstLine(_ variables: [String: String]) async throws -> String? {
      var command = desk.command(["--state", "none", "books.xml"])
      command.environment = ["CHECK_LOANS_NOW": "2026-11-21"].merging(variables) { $1 }
      return try await command.run().lines.first
    }
    let english = "\"{title}\" expired 7 days ago (2026.11.14)"
    #expect(try await firstLine([:]) == english)
    #expect(try await firstLine(["LANG": "C.UTF-8"]) == english)
    #expect(try await firstLine(["LANG": "hu_HU.UTF-8", "LC_ALL": "C"]) == english)
    #expect(
      try await firstLine(["LANG": "hu_HU.UTF-8"]) == "„{title}” 7 napja lejárt (2026. 11. 14.)")
    #expect(
      try await firstLine(["LANG": "hu_HU.UTF-8", "CHECK_LOANS_LANGUAGE": "en"]) == english)
  }

  @Test func `Notices, plans and explanations are translated, and what programs read is not`()
    async throws
  {
    let desk = try desk()
    let variables = ["CHECK_LOANS_LANGUAGE": "hu"]
    #expect(
      try await desk.run("--notify", "stdout", "books.xml", "--dry-run", variables: variables).text
        == """
        kézbesítené (stdout): „{title}” 7 napja lejárt (2026. 11. 14.)
        kézbesítené (stdout): „Abigél” holnap lejár (2026. 11. 22.)

        """)
    #expect(
      try await desk.run(
        "--notify", "stdout", "books.xml", "--dry-run", "--deliver-between", "08:00-09:00",
        variables: variables
      ).lines.last
        == "visszatartaná eddig: 2026. 11. 21. 08:00 (stdout): „Abigél” holnap lejár (2026. 11. 22.)"
    )
    #expect(
      try await desk.run("plan", "books.xml", variables: variables).lines.first
        == "2026-11-21  „{title}” 7 napja lejárt (2026. 11. 14.)")
    #expect(
      try await desk.run("--notify", "stdout", "books.xml", variables: variables).lines.last
        == "„Abigél” holnap lejár (2026. 11. 22.)")
    #expect(
      try await desk.run("schedule", "explain", "1", variables: variables).text
        == """
        1. kölcsönzés: „Abigél”, katalógus: \(desk.folder.path)/books.xml.
        Holnap jár le (utolsó nap: 2026. 11. 22.).
        Az emlékeztető ettől az időponttól esedékes: 2026. 11. 21. 00:00.
        Az emlékeztető kézbesítve (stdout), ekkor: 2026. 11. 21. 07:00 (UTC+00:00).
        Következik: az emlékeztető minden kipróbált csatornán kézbesítve, és nem megy ki újra; \
        ha a könyvet nem hozzák vissza és nem hosszabbítják meg, e naptól (2026. 11. 23.) \
        lejártnak számít.
        Ok: delivered

        """)
    for arguments in [
      ["books.xml", "--format", "json"], ["plan", "--format", "json"],
      ["schedule", "explain", "1", "--format", "json"], ["schedule", "list"], ["status"],
    ] {
      let translated = try await desk.run(arguments, variables: variables)
      #expect(translated.text == (try await desk.run(arguments)).text, "\(arguments)")
      #expect(!translated.text.isEmpty)
    }
  }

  @Test func `A program gets its notices in English`() async throws {
    let desk = try desk()
    try desk.folder.write(program: "#!/bin/sh\ncat >\"$(dirname \"$0\")/got\"\n", to: "tell")
    try await desk.run("--language", "hu", "--notify", "exec:./tell", "books.xml")
    #expect(desk.folder.contents(of: "got").contains(" is due tomorrow, 22 November 2026"))
  }

  @Test func `A translation of one's own is used as it is, the rest in English`() async throws {
    let desk = try desk()
    let asked = ["--translation", "nl.po", "--state", "none", "--quiet", "books.xml"]
    let lines = [
      "\"{title}\" expired 7 days ago (2026.11.14)", "\"Abigél\" vervalt morgen (2026.11.22)",
    ]
    #expect(try await desk.run(asked).lines == lines)
    #expect(
      try await desk.run(asked, variables: ["LANG": "hu_HU.UTF-8", "LC_ALL": ""]).lines == lines)
    #expect(try await desk.run(asked + ["--language", "nl_BE"]).lines == lines)
    #expect(
      try await desk.run(asked + ["--language", "hu"]).lines.last
        == "„Abigél” holnap lejár (2026. 11. 22.)")
  }

  @Test func `Language and translation can be set in the file, whose folder a path begins in`()
    async throws
  {
    let desk = try desk()
    try desk.folder.makeDirectory("sub")
    try desk.folder.write("language = \"nl\"\ntranslation = \"../nl.po\"\n", to: "sub/config.toml")
    let line = try await desk.run(
      "--config", "sub/config.toml", "--state", "none", "--quiet", "books.xml"
    ).lines.last
    #expect(line == "\"Abigél\" vervalt morgen (2026.11.22)")
    try desk.folder.write("language = \"nl\"\n", to: "sub/config.toml")
    #expect(
      try await desk.run("--config", "sub/config.toml", "--state", "none", "books.xml").outcome
        == Outcome(
          78,
          errors: """
            check-loans: \(desk.folder.path)/sub/config.toml:1: the language "nl" is unknown; there are \
            en, hu, de, cs, ru, zh, and --translation adds one from a PO file

            """))
  }

  @Test(
    arguments: [
      (["--language", "klingon"], 64, "the language \"klingon\" is unknown; there are en, hu, "),
      (["--translation", "gone.po"], 66, "gone.po: cannot read the translation: no such file"),
      (["--translation", "books.xml"], 78, "books.xml:1: expected msgid, msgstr or a comment, "),
      (["--translation", "bad.po"], 78, "bad.po:12: {title} is missing"),
    ] as [([String], Int32, String)])
  func `What cannot be used is named, with the line of a translation`(
    arguments: [String], status: Int32, message: String
  ) async throws {
    let desk = try desk()
    try desk.folder.write(
      Self.dutch.replacing("{title} vervalt", with: "het vervalt"), to: "bad.po")
    for command in [
      ["--state", "none", "books.xml"], ["config"], ["plan"], ["watch", "books.xml"],
    ] {
      let result = try await desk.run(command + arguments)
      #expect(result.status == status)
      #expect(result.errorText.hasPrefix("check-loans: \(message)"), "\(result.errorText)")
      #expect(result.text == "")
    }
  }

  @Test func `The languages are listed with their share`() async throws {
    let desk = try desk()
    #expect(
      try await desk.run("languages").text == """
        en     100 %  English
        hu     100 %  magyar
        de     100 %  Deutsch
        cs     100 %  čeština
        ru     100 %  русский
        zh     100 %  中文

        """)
    let own = try await desk.run("languages", "--translation", "nl.po")
    #expect(own.lines.last == "nl     0 %  Nederlands")
  }

  @Test func `The template becomes a translation once its header is filled in`() async throws {
    let desk = try desk()
    let template = try await desk.run("languages", "template").text
    try desk.folder.write(template, to: "sk.po")
    let refused = try await desk.run("languages", "--translation", "sk.po")
    #expect(refused.status == 78)
    #expect(refused.errorText.contains(" the header lacks Language\n"))
    let filled =
      template
      .replacing("Language: \\n", with: "Language: sk\\n")
      .replacing("nplurals=INTEGER; plural=EXPRESSION;", with: "nplurals=1; plural=0;")
    try desk.folder.write(filled, to: "sk.po")
    #expect(
      try await desk.run("languages", "--translation", "sk.po").lines.last
        == "sk     0 %  English")
  }
}
