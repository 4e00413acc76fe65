import Loans
import Notifiers
import TestSupport
import Testing

/// What a program of an exec channel is given.
@Suite(.ownThread) struct ExecNotifierTests {
  @Test func `The document is this one, word for word`() async throws {
    let fake = try FakeProgram.recording()
    let loan = Loan(
      id: "bk101", title: "Abigél", author: "Szabó Magda", isbn: "9789631193619",
      barcode: "0042", borrower: "Kovács Anna", email: "anna@example.org", language: "hu",
      category: "student", type: "reference", library: "the \"B\" Library", renewable: false,
      expiration: sampleDay(22), expirationTime: CivilTime(iso: "18:30".utf8))
    let notice = Notice(
      rung: -1, loan: loan, catalogue: "/srv/books.xml", library: "the City Library")
    try fake.notifier().sendAll([notice, expired("Egri csillagok")])
    let document =
      #"{"version":1,"now":"2026-11-21T07:00:00","channel":"exec:\#(fake.path)","openCount":12,"#
      + #""notices":[{"kind":"reminder","urgency":"normal","text":"“Abigél” by Szabó Magda "#
      + #"is due tomorrow, 22 November 2026 at 18:30, lent to Kovács Anna, at the \"B\" Library, "#
      + #"cannot be renewed","#
      + #""expiration":"2026-11-22","#
      + #""daysLeft":1,"catalogue":"/srv/books.xml","loan":{"id":"bk101","title":"Abigél","#
      + #""author":"Szabó Magda","isbn":"9789631193619","barcode":"0042","#
      + #""borrower":"Kovács Anna","email":"anna@example.org","language":"hu","#
      + #""category":"student","type":"reference","library":"the \"B\" Library","#
      + #""renewable":false,"loanStatus":null},"expirationTime":"18:30","#
      + #""library":"the \"B\" Library","rung":-1,"openDays":null},"#
      + #"{"kind":"expired","urgency":"critical","text":"“Egri csillagok” is 7 days overdue "#
      + #"(due 14 November 2026)","expiration":"2026-11-14","daysLeft":-7,"catalogue":"books.xml","#
      + #""loan":{"id":null,"title":"Egri csillagok","author":null,"isbn":null,"#
      + #""barcode":null,"borrower":null,"email":null,"language":null,"category":null,"type":null,"#
      + #""library":null,"renewable":null,"loanStatus":null},"expirationTime":null,"library":null,"rung":1,"openDays":null}]}"#
    #expect(fake.folder.contents(of: "documents") == document + "\n")
  }

  @Test(arguments: [
    #"say "when""#, #"C:\new\101"#, "line\nbreak\ttab", "\u{1B}]8;;https://example.org\u{7}link",
    "\u{202E}kcab", "\u{2028}", "$(touch x)`touch x`; x", "Árvíztűrő", "👨‍👩‍👧‍👦", "\u{10FFFD}",
    "--help", "", "\u{85}\u{9B}31m",
  ])
  func `A title arrives unchanged, whatever it means to others`(title: String) async throws {
    let fake = try FakeProgram.recording()
    try fake.notifier().sendAll([reminder(title)])
    let document = try JSON(parsing: try #require(fake.documents.first))
    #expect(
      document.notices[0].loan.title.text?.unicodeScalars.elementsEqual(title.unicodeScalars)
        == true)
    #expect(fake.documents.count == 1)
    #expect(!fake.folder.contains("x"))
  }

  @Test(arguments: [(1, 1), (999, 1), (1_000, 1), (1_001, 2), (2_500, 3)])
  func `A document holds up to a thousand notices`(count: Int, messages: Int) async throws {
    let fake = try FakeProgram.recording()
    let notifier = fake.notifier()
    try notifier.sendAll((0..<count).map { reminder("Book \($0)") })
    let titles = try fake.documents.flatMap { text in
      try JSON(parsing: text).notices.elements.map { $0.loan.title.text }
    }
    #expect(titles == (0..<count).map { "Book \($0)" })
    #expect(fake.documents.count == messages)
    #expect(notifier.messagesPerCommit == 1)
  }

  @Test(arguments: ["x", "\u{202E}", "#", "\u{9B}", "ű"])
  func `A document holds so many bytes, or one notice`(letter: String) async throws {
    let fake = try FakeProgram(#"wc -c >> "$here/sizes""#)
    var notifier = fake.notifier()
    #expect(notifier.mostBytes < 8_000_000)
    notifier.mostBytes = 40_000
    let title = String(repeating: letter, count: 500)
    let notices =
      (0..<60).map { reminder("\($0) \(title)", on: 1) } + [reminder("last")]
      + [reminder(String(repeating: title, count: 50)), reminder("not with that one")]
    let messages = notifier.messages(for: notices)
    #expect(messages.flatMap { $0 } == notices)
    #expect(messages.suffix(2).map(\.count) == [1, 1])
    try notifier.sendAll(notices)
    let sizes = fake.folder.contents(of: "sizes").split(separator: "\n").compactMap { Int($0) }
    #expect(sizes.count == messages.count)
    let documents = sizes.dropLast(3)
    #expect(documents.allSatisfy { (25_000...41_000).contains($0) }, "\(documents)")
    #expect(sizes.count(where: { $0 > 41_000 }) == 1)
  }

  @Test func `Long titles make a long document, in time`() async throws {
    let fake = try FakeProgram(#"wc -c > "$here/size""#)
    let title = String(repeating: "ű\u{202E}", count: 5_000)
    try fake.notifier().sendAll((0..<40).map { reminder("\($0) \(title)") })
    #expect(Int(fake.folder.contents(of: "size").dropLast()).map { $0 > 1_000_000 } == true)
  }

  @Test func `The program gets no arguments`() async throws {
    let fake = try FakeProgram(#"printf '%s\0' "$#" "$0" > "$here/call"; cat > /dev/null"#)
    try fake.notifier().sendAll([reminder("--help")])
    #expect(fake.folder.contents(of: "call") == "0\0\(fake.path)\0")
  }

  @Test func `The program is given few variables`() async throws {
    let fake = try FakeProgram(#"tr '\0' '\n' < /proc/$$/environ > "$here/environment""#)
    let given = [
      "PATH": "/bin", "HOME": "/home/anna", "USER": "anna", "LOGNAME": "anna",
      "LANG": "hu_HU.UTF-8", "LC_TIME": "C", "LC_ALL": "", "TZ": "Europe/Budapest",
      "TMPDIR": "/tmp", "XDG_RUNTIME_DIR": "/run/user/1000", "DISPLAY": ":0",
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=/bus", "WAYLAND_DISPLAY": "wayland-0",
      "XAUTHORITY": "/home/anna/.Xauthority", "XDG_CONFIG_HOME": "/home/anna/.config",
      "CREDENTIALS_DIRECTORY": "/run/credentials/x", "LANGUAGE": "hu", "LD_PRELOAD": "/tmp/evil.so",
      "CHECK_LOANS_NOTIFY": "stdout",
      "CHECK_LOANS_CHANNEL": "stdout", "PYTHONPATH": "/tmp", "IFS": "x", "ENV": "/tmp/evil",
    ]
    try fake.notifier(environment: given).sendAll([reminder("Abigél")])
    let variables = fake.folder.contents(of: "environment").split(separator: "\n").sorted()
    #expect(
      variables == [
        "CHECK_LOANS_CHANNEL=exec:\(fake.path)", "CREDENTIALS_DIRECTORY=/run/credentials/x",
        "DBUS_SESSION_BUS_ADDRESS=unix:path=/bus",
        "DISPLAY=:0", "HOME=/home/anna", "LANG=hu_HU.UTF-8", "LANGUAGE=hu", "LC_TIME=C",
        "LOGNAME=anna", "PATH=/bin", "TMPDIR=/tmp", "TZ=Europe/Budapest", "USER=anna",
        "WAYLAND_DISPLAY=wayland-0", "XAUTHORITY=/home/anna/.Xauthority",
        "XDG_CONFIG_HOME=/home/anna/.config", "XDG_RUNTIME_DIR=/run/user/1000",
      ])
  }

  @Test func `Without PATH the program gets the usual one`() async throws {
    let fake = try FakeProgram(#"tr '\0' '\n' < /proc/$$/environ > "$here/environment""#)
    try fake.notifier().sendAll([reminder("Abigél")])
    let variables = fake.folder.contents(of: "environment").split(separator: "\n")
    #expect(variables.contains("PATH=/usr/local/bin:/usr/bin:/bin"))
  }

  @Test func `The program inherits no descriptor, and no ignored or blocked signal`() async throws {
    // The shell's own descriptor 10 or 255 is that of the script. The signals are read without
    // a child: a shell blocks them all for the moment of its fork.
    let fake = try FakeProgram(
      """
      for descriptor in /proc/$$/fd/*; do readlink "$descriptor"; done > "$here/descriptors"
      while read -r name mask; do
        case $name in SigBlk:|SigIgn:) echo "$mask" >> "$here/signals" ;; esac
      done < /proc/$$/status
      cut -d ' ' -f 1,5 /proc/$$/stat > "$here/group"
      """)
    try fake.folder.write("secret", to: "secret")
    let descriptor = openInheritably("\(fake.folder.path)/secret")
    try fake.notifier().sendAll([reminder("Abigél")])
    closeDescriptor(descriptor)
    let open = fake.folder.contents(of: "descriptors").split(separator: "\n")
    #expect(open.filter { $0.hasPrefix("pipe:") }.count == 2)
    #expect(open.filter { $0.hasPrefix("/memfd:") }.count == 1)
    #expect(!open.contains { $0.hasSuffix("/secret") })
    let masks = fake.folder.contents(of: "signals").split(whereSeparator: \.isWhitespace)
      .compactMap { UInt64($0, radix: 16) }
    // The signals 32 and 33 are the C library's own.
    #expect(masks.map { $0 & 0x7FFF_FFFF } == [0, 0])
    let numbers = fake.folder.contents(of: "group").split(whereSeparator: \.isWhitespace)
    #expect(numbers.count == 2 && numbers[0] == numbers[1])
  }

  @Test func `A name is looked for in PATH each time`() async throws {
    let fake = try FakeProgram.recording()
    let notifier = ProgramNotifier.exec(
      "tell", environment: ["PATH": "relative:/nonexistent:\(fake.folder.path)"])
    #expect(notifier.channel == "exec:tell")
    try notifier.sendAll([reminder("Abigél")])
    #expect(try JSON(parsing: fake.documents[0]).channel.text == "exec:tell")
    try fake.folder.remove("tell")
    #expect(try await failure(of: notifier).code == .unavailable)
  }

  @Test func `A directory or a file that is not executable is passed over for a program`()
    async throws
  {
    let directory = try ScratchFolder()
    try directory.makeDirectory("tell")
    let file = try ScratchFolder()
    try file.write("", to: "tell")
    let fake = try FakeProgram.recording()
    let path = "\(directory.path):\(file.path):\(fake.folder.path)"
    let notifier = ProgramNotifier.exec("tell", environment: ["PATH": path])
    try notifier.sendAll([reminder("Abigél")])
    #expect(fake.documents.count == 1)
  }

  @Test func `A channel of another program does not disturb`() async throws {
    let working = try FakeProgram.recording()
    let failing = try FakeProgram("exit 1")
    let hanging = try FakeProgram("exec sleep 1000")
    async let first: Void = working.notifier().sendAll([reminder("Abigél")])
    async let second = failure(of: failing.notifier())
    async let third = failure(of: hanging.notifier(timeout: .milliseconds(500)))
    try await first
    #expect(try await second.code == .failed)
    #expect(try await third.code == .timedOut)
    #expect(working.documents.count == 1)
  }
}

/// The error of sending one notice.
func failure(of notifier: some Notifier) async throws -> NotifierError {
  try #require(throws: NotifierError.self) {
    try notifier.sendAll([reminder("Abigél")])
  }
}
