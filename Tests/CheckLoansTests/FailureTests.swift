import TestSupport
import Testing

/// What stays right although something fails on the way.
struct FailureTests {
  @Test(arguments: [
    ("<html><body>Not found</body></html>", "not-a-catalogue"),
    ("<report><body>Not found</body></report>", "no-loans"),
    (
      "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body/></s:Envelope>",
      "no-loans"
    ),
    ("<web_service_result><errorList/></web_service_result>", "no-loans"),
  ])
  func `A page that is no catalogue is an error, also where an empty one is allowed`(
    page: String, code: String
  ) async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    try desk.folder.write(page, to: "books.xml")
    let result = try await desk.run("--allow-empty", "books.xml")
    #expect(result.status == 65)
    #expect(result.errorText.contains("[\(code)]"))
    #expect(try await desk.pending().count == 14)
  }

  @Test func `Validation goes on after a file that cannot be read to its end`() async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("Abigél", "x")))
    let result = try await desk.run("validate", "books.xml", "-", "books.xml", input: .closed)
    #expect(result.status == 74)
    #expect(result.lines.count == 2)
    let summary =
      "2 files, 2 books, 0 loans, 2 left out: 2 errors, 0 warnings, 1 file not read\n"
    #expect(result.errorText.hasSuffix(summary))
  }

  @Test func `A loan that a misspelt name hides is told of every time`() async throws {
    let book = "<book><title>A</title><Expiration>2026.11.22</Expiration></book>"
    let desk = try Desk(catalogue: "<books><expiration>2026.11.22</expiration>\(book)</books>")
    for _ in 0..<2 {
      let result = try await desk.run("--notify", "stdout", "books.xml")
      #expect(result.status == 0)
      #expect(result.lines == [])
      let codes = result.errorLines.map { $0.split(separator: " ").last ?? "" }
      #expect(codes == ["[misplaced-expiration]", "[unknown-case]", "[no-expirations]"])
      #expect(result.errorLines.allSatisfy { $0.contains(": warning: ") })
    }
  }

  @Test func `A date under another name is reported every time`() async throws {
    let book = "<book id='a'><title>A</title><due>2026.11.22</due></book>"
    let other = "<book id='b'><title>B</title><expiration>2026.12.22</expiration></book>"
    let desk = try Desk(catalogue: "<books>\(book)\(other)</books>")
    for _ in 0..<2 {
      #expect(
        try await desk.run("--notify", "stdout", "books.xml").outcome
          == Outcome(
            0,
            errors: """
              books.xml:1:37: warning: <due> holds a date but is ignored; did you mean \
              <expiration>? [unknown-date-element]

              """))
    }
  }

  @Test func `Names that Unicode takes for equal are two catalogues`() async throws {
    let desk = try Desk()
    let names = ["\u{E9}.xml", "e\u{301}.xml"]
    try desk.folder.write(catalogue(("One", "2026.11.22")), to: names[0])
    try desk.folder.write(catalogue(("Two", "2026.11.22")), to: names[1])
    let first = try await desk.run(["--notify", "stdout"] + names.prefix(1))
    #expect(first.lines.map { $0.prefix(5) } == ["\"One\""])
    let both = try await desk.run(["--state", "none", "--notify", "stdout"] + names)
    #expect(both.lines.map { $0.prefix(5) } == ["\"One\"", "\"Two\""])
    let second = try await desk.run(["--notify", "stdout"] + names.suffix(1))
    #expect(second.lines.map { $0.prefix(5) } == ["\"Two\""])
  }

  @Test func `A way back from behind a link leads to where the system goes`() async throws {
    let desk = try Desk()
    let result = try await desk.shell(
      """
      mkdir -p real/sub && ln -s real/sub link && mv books.xml real/ &&
      echo '<books><book><title>Top</title><expiration>2026.12.24</expiration></book></books>' \
        > books.xml && "$0" -q link/../books.xml >/dev/null && "$0" -q books.xml
      """)
    #expect(result.status == 0)
    #expect(try await desk.schedule().count == 15)
    try await desk.run("-q", "real/../books.xml")
    #expect(try await desk.schedule().count == 15, "the same file by another way")
  }

  @Test func `One file is one catalogue, whatever linked directory leads to it`() async throws {
    let desk = try Desk()
    let result = try await desk.shell(
      """
      mkdir -p data/lib && ln -s data srv && ln -s srv/lib lib && mv books.xml data/lib/
      tell="$0 --notify stdout"
      $tell srv/lib/books.xml | wc -l
      $tell "$PWD/data/lib/books.xml"
      $tell "$PWD/lib/books.xml"
      (cd srv/lib && $tell books.xml && $tell ./books.xml && $tell ../lib/books.xml)
      CHECK_LOANS_NOTIFY=stdout "$0" lib/books.xml
      "$0" deliver --notify stdout
      "$0" --dry-run --state none srv/lib/books.xml lib/books.xml | tail -n 1
      """)
    #expect(
      result.outcome
        == Outcome(
          0,
          output: """
            6
            14 loans, 4 expired, 1 expires today, nothing scheduled (--state none), nothing written \
            (--dry-run); 4 books on the shelf

            """))
    #expect(try await desk.schedule().count == 14)
    let list = try JSON(parsing: await desk.run("schedule", "list", "--format", "json").text)
    let path = "\(File.realPath(of: desk.folder.path))/data/lib/books.xml"
    #expect(list.reminders[0].catalogue == .string(path))
  }

  @Test func `A catalogue that is a link is the link, whatever it leads to`() async throws {
    let desk = try Desk()
    let result = try await desk.shell(
      """
      mkdir data && mv books.xml data/monday.xml && cp data/monday.xml data/tuesday.xml
      ln -s data/monday.xml books.xml
      "$0" --notify stdout books.xml | wc -l
      ln -sfn data/tuesday.xml books.xml
      "$0" --notify stdout books.xml
      "$0" schedule list | grep -c /books.xml
      "$0" --notify stdout data/tuesday.xml
      """)
    #expect(result.text == "6\n14\n")
    #expect(result.status == 78, "and its file is another one")
  }

  @Test func `A catalogue in a directory that is gone is told by the path that was given`()
    async throws
  {
    let desk = try Desk()
    try await desk.run("-q", "books.xml")
    let result = try await desk.run("-q", "gone/../gone/books.xml", "books.xml")
    #expect(result.ends(66, output: result.text, saying: " gone/../gone/books.xml: cannot read"))
    #expect(try await desk.schedule().count == 14)
  }

  @Test func `A usage error cannot steer the terminal`() async throws {
    let result = try await Desk().run("--now", "x\u{1B}[31m\u{202E}", "books.xml")
    #expect(result.status == 64)
    #expect(result.errorText.contains("x\\u{1b}[31m\\u{202e}"))
    #expect(!result.errorText.unicodeScalars.contains("\u{1B}"))
  }

  @Test(arguments: ["-journal", "-wal"])
  func `A file that would be taken for the schedule's journal is kept`(
    ending: String
  ) async throws {
    let desk = try Desk()
    try desk.folder.write("diary", to: "notes\(ending)")
    let result = try await desk.run("--state", "notes", "books.xml")
    #expect(result.status == 77)
    #expect(desk.folder.contents(of: "notes\(ending)") == "diary")
  }

  @Test func `A dry run with JSON prints one document`() async throws {
    let desk = try Desk()
    let result = try await desk.run(
      "--dry-run", "--notify", "notify-send", "--format", "json", "books.xml")
    #expect(result.lines.count == 1)
    #expect(try JSON(parsing: result.text).loans.elements.count == 6)
    #expect(result.errorLines.count == 6)
  }

  @Test func `One catalogue spelt in two ways is read once`() async throws {
    let desk = try Desk()
    let result = try await desk.run(
      "--state", "none", "--notify", "stdout", "books.xml", "./books.xml",
      "\(desk.folder.path)/books.xml")
    #expect(result.status == 0)
    #expect(result.lines.count == 6)
    #expect(Set(result.lines).count == 6)
  }

  @Test func `Without a schedule notices come in the same order as with one`() async throws {
    let desk = try Desk()
    let without = try await desk.run("--state", "none", "--notify", "stdout", "books.xml")
    let with = try await desk.run("--notify", "stdout", "books.xml")
    #expect(without.lines == with.lines)
  }

  @Test func `Of a catalogue that cannot be read to its end nothing is told`() async throws {
    let desk = try Desk()
    let result = try await desk.run("--state", "none", "--notify", "stdout", "-", input: .file("/"))
    #expect(result.status == 66)
    #expect(result.lines == [])
  }

  @Test func `A signal while nobody reads ends the run with one line`() async throws {
    let books = (0..<2_000).map { number -> (title: String, expiration: String?) in
      ("A title that takes some room, number \(number)", "2026.11.01")
    }
    let desk = try Desk(catalogue: catalogue(books))
    let result = try await desk.shell(
      """
      mkfifo out
      exec 3<>out
      "$0" --notify stdout --backlog send books.xml > out &
      head -c 1 <&3 > begun
      sleep 1
      kill -TERM $!
      wait $!
      echo $?
      """)
    #expect(result.text == "143\n")
    // The shell may have a word to say too.
    let lines = result.errorLines.filter { $0.hasPrefix("check-loans: ") }
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("check-loans: stopping; ") == true)
  }

  @Test(arguments: [["check"], ["calendar"], ["lists", "call"]])
  func `A named pipe that nobody reads takes no results`(command: [String]) async throws {
    let desk = try Desk()
    try desk.folder.makeNamedPipe("pipe")
    let result = try await desk.run(command + ["--output", "pipe", "books.xml"])
    #expect(result.status == 73)
    #expect(
      result.errorText
        == "check-loans: pipe: cannot create the file for the results: no program is reading "
        + "this pipe or socket; name a file\n")
    #expect(result.elapsed < .seconds(10))
  }

  @Test func `A named pipe that somebody reads takes results`() async throws {
    let desk = try Desk()
    let result = try await desk.shell(
      "mkfifo pipe; exec 3<>pipe; \"$0\" -q --output pipe books.xml; head -n 1 <&3")
    #expect(result.status == 0)
    #expect(result.text.contains("expire"))
  }

  @Test(.enabled(if: isRoot, "only root can make another user's link"))
  func `Another user's link in a directory for everybody takes no results`() async throws {
    let desk = try Desk()
    let result = try await desk.shell(
      """
      echo mine > target; mkdir open own; chmod 1777 open
      ln -s ../target open/link; chown -h 65534 open/link
      ln -s ../open/link own/link
      for link in open/link own/link; do "$0" --output $link books.xml; echo $?; done
      cat target; chown -h 0 open/link; "$0" --output open/link books.xml; echo $?
      """)
    #expect(result.text == "73\n73\nmine\n0\n")
    let words =
      "cannot create the file for the results: it is another user's link, in a directory that everyone "
      + "can write to"
    #expect(
      result.errorLines == ["open/link", "own/link"].map { "check-loans: \($0): \(words)" })
  }

  @Test func `A signal ends watch, too, while nobody reads`() async throws {
    let books = (0..<2_000).map { number -> (title: String, expiration: String?) in
      ("A title that takes some room, number \(number)", "2020.11.01")
    }
    let desk = try Desk(now: nil, catalogue: catalogue(books))
    let result = try await desk.shell(
      """
      mkfifo out
      exec 3<>out
      "$0" watch --notify stdout --backlog send books.xml > out &
      head -c 1 <&3 > begun
      sleep 1
      kill -TERM $!
      wait $!
      echo $?
      """)
    #expect(result.outcome == Outcome(0, output: "0\n"))
  }

  @Test func `A reload that runs out of room leaves the schedule as it was`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let before = try await desk.schedule()
    var books: [(title: String, expiration: String?)] = []
    for number in 0..<90_000 {
      books.append(("A title that takes some room, number \(number)", "2026.12.01"))
    }
    try desk.folder.write(catalogue(books), to: "books.xml")
    let result = try await desk.shell("ulimit -f 2000; \"$0\" books.xml")
    #expect(result.status == 74)
    // The first says that the books of before are gone from the catalogue.
    #expect(result.errorLines.count == 2)
    #expect(try await desk.schedule() == before)
  }
}
