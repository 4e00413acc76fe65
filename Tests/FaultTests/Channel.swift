import TestSupport

/// A way to be told, that keeps what it was told in files which a test can read.
///
/// Where a message comes in while the file `phase` in the user's home holds the word `one`, it goes
/// to the file `NAME.one` in that directory. In the phase `hanging` the programs make the file
/// `hangs` and do not come back.
enum Channel: String, Sendable {
  case stdout, desktop, program
  /// A program that fails until there is a file `fixed` in the user's home.
  case broken

  /// Those that work.
  static let all: [Channel] = [.stdout, .desktop, .program]

  /// What `--notify` calls it.
  ///
  /// - Parameter programs: the directory with ``install(in:)``'s programs.
  func name(programs: String) -> String {
    switch self {
    case .stdout: "stdout"
    case .desktop: "notify-send"
    case .program: "exec:\(programs)/program"
    case .broken: "exec:\(programs)/broken"
    }
  }

  /// Puts the programs behind the channels into a folder.
  static func install(in folder: ScratchFolder) throws {
    try folder.write(program: notifySend, to: "notify-send")
    try folder.write(program: receiver, to: "program")
    try folder.write(program: receiver, to: "broken")
  }

  private static let notifySend = #"""
    #!/bin/sh
    read -r phase < "$HOME/phase"
    if [ "$phase" = hanging ]; then : > "$HOME/hangs"; exec /bin/sleep 60; fi
    printf '%s\n' "$@" --- >> "$HOME/desktop.$phase"

    """#

  /// Understands only a whole document: of one that was cut off it takes no note.
  private static let receiver = #"""
    #!/usr/bin/python3 -IS
    import json, os, sys
    notices = json.load(sys.stdin)["notices"]
    home = os.environ["HOME"]
    name = os.path.basename(sys.argv[0])
    if name == "broken" and not os.path.exists(home + "/fixed"):
        sys.exit("no paper")
    with open(home + "/phase") as file:
        phase = file.read().strip()
    if phase == "hanging":
        open(home + "/hangs", "w").close()
        os.execl("/bin/sleep", "sleep", "60")
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    output = os.open(home + "/" + name + "." + phase, flags, 0o600)
    for notice in notices:
        loan = notice.get("loan", notice)
        line = [loan["title"], notice["kind"], loan.get("expiration", notice.get("expiration"))]
        os.write(output, ("\t".join(line) + "\n").encode())
    os.write(output, b"---\n")

    """#

  /// The messages in a file that the channel's program wrote.
  func messages(in text: String) -> [[Tiding]] {
    let lines = text.split(separator: "\n").map(String.init)
    if self == .stdout { return lines.map { [Tiding(sentence: $0)] } }
    let messages = lines.split(separator: "---").map(Array.init)
    return messages.map { lines in
      self == .desktop ? [Tiding(desktop: lines)] : lines.map { Tiding(record: $0) }
    }
  }
}

extension Tiding {
  /// A line such as `"Book 1!" expired 7 days ago (2026.11.14), by Author 1`.
  fileprivate init(sentence: String) {
    let words = sentence.utf8.split(separator: UInt8(ascii: " "))
    let book = words.firstIndex { $0.contains(UInt8(ascii: "!")) } ?? 0
    let title = book > 0 ? "Book \(Substring(words[book]).prefix { $0 != "\"" })" : sentence
    let dates = words.lazy.map { $0.filter { $0 < UInt8(ascii: ":") && $0 >= UInt8(ascii: ".") } }
    let expiration = dates.first { $0.count >= 10 }?.prefix(10) ?? []
    self.init(
      title: title,
      kind: words.contains { $0.elementsEqual("expired".utf8) } ? "expired" : "reminder",
      expiration: String(decoding: expiration, as: UTF8.self))
  }

  /// The arguments of notify-send, one a line.
  fileprivate init(desktop lines: [String]) {
    let text = lines.joined(separator: " ")
    if text.utf8.count(where: { $0 == UInt8(ascii: "!") }) == 1,
      // `“Book 1!” is 7 days overdue It was due on 14 November 2026: return or renew it now.`
      let match = text.firstMatch(of: #/“(.*)” is .* ([0-9]+) ([A-Z][a-z]+) ([0-9]{4})/#)
    {
      let month = ["October": "10", "November": "11", "December": "12"][match.3] ?? "??"
      self.init(
        title: String(match.1), kind: text.contains("” is due ") ? "reminder" : "expired",
        expiration: "\(match.4).\(month).\(match.2.count < 2 ? "0" : "")\(match.2)")
    } else {
      self.init(title: text, kind: "digest", expiration: "")
    }
  }

  /// Title, kind and expiration as the program wrote them.
  fileprivate init(record: String) {
    let fields = record.split(separator: "\t").map(String.init)
    self.init(
      title: fields.first ?? "", kind: fields.count > 1 ? fields[1] : "",
      expiration: fields.count > 2 ? String(fields[2].map { $0 == "-" ? "." : $0 }) : "")
  }
}
