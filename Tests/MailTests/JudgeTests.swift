import Loans
import Mail
import TestSupport
import Testing

/// Other programs read what is written, and get the same back.
@Suite struct JudgeTests {
  @Test(.enabled(if: File.exists(python), "needs python3"))
  func `Python reads all messages without a defect`() async throws {
    let samples = try RandomMessages(seed: 1)
    let result = try await run(
      python, "-I", "\(ownFolder)/Tools/judge.py", samples.folder.path, "\(samples.messages.count)",
      in: samples.folder)
    #expect(result.outcome == .init(0))
    try samples.expectReadBack()
  }

  @Test(
    .enabled(if: File.exists("/usr/include/gmime-3.0/gmime/gmime.h"), "needs libgmime-3.0-dev"))
  func `GMime reads all messages without a warning`() async throws {
    let samples = try RandomMessages(seed: 2)
    let script = """
      cc -Wall -Werror -o judge '\(ownFolder)/Tools/judge.c' $(pkg-config --cflags --libs gmime-3.0)
      ./judge . \(samples.messages.count)
      """
    let result = try await run("/bin/sh", "-e", "-c", script, in: samples.folder)
    #expect(result.outcome == .init(0))
    try samples.expectReadBack()
  }

  @Test(.enabled(if: File.exists("/usr/bin/mshow"), "needs mblaze"))
  func `mblaze shows all messages`() async throws {
    let samples = try RandomMessages(seed: 3)
    let script = """
      for number in $(seq 0 \(samples.messages.count - 1)); do
        for field in subject from to reply-to; do
          mhdr -d -h $field ./$number.eml | tr -d '\\n'
          printf '\\0'
        done > $number.mhdr
        mshow -O ./$number.eml 2 > $number.text
        mshow -O ./$number.eml 3 > $number.html
      done
      """
    let result = try await run("/bin/sh", "-e", "-c", script, in: samples.folder)
    #expect(result.outcome == .init(0))
    for (number, message) in samples.messages.enumerated() {
      let fields = samples.folder.contents(of: "\(number).mhdr").split(
        separator: "\0", omittingEmptySubsequences: false)
      #expect(fields.first.map(String.init) == message.subject.visible, "\(number)")
      #expect(fields[2].hasSuffix("<\(message.to.address)>"))
      try samples.expectParts(of: number)
    }
  }

  @Test func `No line is too long, and none is a mark of programs on the way`() throws {
    for message in try RandomMessages(seed: 4).messages {
      for line in message.header {
        #expect(line.utf8.count <= (line.contains("=?UTF-8?Q?") ? 76 : 78), "\(line)")
      }
      let body = message.contents.split(separator: "\n", omittingEmptySubsequences: false)
        .drop { !$0.isEmpty }
      for line in body {
        #expect(line.utf8.count <= 76, "\(line)")
        #expect(!line.hasPrefix("From ") && line != "." && line.last != " ", "\(line)")
      }
      #expect(message.bytes.allSatisfy { [0x09, 0x0A].contains($0) || (0x20...0x7E).contains($0) })
    }
  }
}

/// Messages of everything that has ever broken a mail program, in a folder.
private struct RandomMessages {
  let messages: [MailMessage]
  let folder: ScratchFolder

  private static let pieces = [
    "Abigél", "e\u{301}\u{302}", "שלום", "مرحبا", "👩‍👩‍👧", "𝒳", "=?utf-8?B?eA==?=", "=?", "?=", "\r\n",
    "\r", "\n", "\"", "\\", " ", "  ", "\t", ".", "\n.\n", "\nFrom ", "From ", ",", ";", ":", "<b>",
    "(x)", "@", "=", "=3D", "&amp;", "\u{202E}", "\u{2028}", "\u{FEFF}", "Bcc: evil@example.org",
    "\r\nBcc: evil@example.org\r\n", "\n--=_check-loans--\n", "##[error]", "a", "the", "ő", "书",
    String(repeating: "x", count: 61), String(repeating: "é", count: 300),
    String(repeating: "word ", count: 200), String(repeating: "y", count: 1_000),
  ]

  init(seed: UInt64) throws {
    var dice = Dice(state: seed)
    func text(_ pieces: Int) -> String {
      (0..<pieces).map { _ in Self.pieces.randomElement(using: &dice) ?? "" }.joined()
    }
    // A catalogue's texts have no spaces around them, and GMime removes those of names.
    func name(_ pieces: Int) -> String {
      let name = String(text(pieces).drop { $0 == " " }.reversed()).drop { $0 == " " }
      return name.isEmpty ? "x" : String(name.reversed())
    }
    folder = try ScratchFolder()
    messages = try (0..<300).map { _ in
      var message = try sampleMessage(
        subject: text(.random(in: 1...8, using: &dice)),
        text: text(.random(in: 0...40, using: &dice)))
      message.from.name = name(.random(in: 1...3, using: &dice))
      message.to.name = name(.random(in: 1...6, using: &dice))
      message.replyTo = message.to
      message.replyTo?.name = nil
      message.html = text(.random(in: 0...40, using: &dice))
      return message
    }
    for (number, message) in messages.enumerated() {
      try folder.write(bytes: message.bytes, to: "\(number).eml")
    }
  }

  /// Fails unless a program has written down what each message had.
  func expectReadBack() throws {
    for (number, message) in messages.enumerated() {
      let expected = [
        message.subject, message.from.name ?? "", message.from.address.description,
        message.to.name ?? "", message.to.address.description, "",
        message.to.address.description,
      ]
      let fields = folder.contents(of: "\(number).headers")
        .split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init)
      #expect(fields.map { Array($0.utf8) } == expected.map { Array($0.visible.utf8) }, "\(number)")
      try expectParts(of: number)
    }
  }

  func expectParts(of number: Int) throws {
    let text = try File.bytes(of: "\(folder.path)/\(number).text")
    #expect(text == Array(messages[number].text.utf8), "\(number)")
    let html = try File.bytes(of: "\(folder.path)/\(number).html")
    #expect(html == Array((messages[number].html ?? "").utf8), "\(number)")
  }
}
