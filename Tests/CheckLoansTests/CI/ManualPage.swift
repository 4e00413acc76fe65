import TestSupport

/// A manual page of the project, in mdoc(7), taken apart.
struct ManualPage {
  /// The lines between the titles of sections, by these.
  private let sections: [String: [String]]
  let lines: [String]

  /// Reads a page by its name in `man`, for example `check-loans.1`.
  init(_ name: String) throws {
    lines = try File.text(of: "\(projectDirectory)/man/\(name)").split(separator: "\n")
      .map(String.init)
    var sections: [String: [String]] = [:]
    var title = ""
    for line in lines {
      if line.hasPrefix(".Sh ") { title = String(line.dropFirst(4)) }
      sections[title, default: []].append(line)
    }
    self.sections = sections
  }

  /// The lines of a section.
  subscript(title: String) -> [String] { sections[title] ?? [] }

  /// What the items of the lists in a section are about, where that is marked by a macro.
  func items(_ macro: String, in title: String) -> [String] {
    let head = ".It \(macro) "
    return self[title].filter { $0.hasPrefix(head) }.flatMap { line in
      line.dropFirst(head.count).split(separator: " No ")[0].split(separator: " , ")
        .map(String.init)
    }
  }

  /// The words of the item of a list in a section whose head begins like this.
  func item(_ head: String, in title: String) -> [Substring] {
    self[title].drop { !$0.hasPrefix(".It \(head)") }.dropFirst()
      .prefix { !$0.hasPrefix(".It ") && $0 != ".El" }.flatMap { $0.split(separator: " ") }
  }

  /// The commands of the synopsis, with the long options of each as they are typed.
  var synopsis: [String: Set<String>] {
    var synopsis: [String: Set<String>] = [:]
    for part in self["SYNOPSIS"].split(separator: ".Nm") {
      let command = Self.texts(matching: #/Cm ([a-z -]+)/#, in: part).joined(separator: " ")
      let options = Self.texts(matching: #/Fl (Fl [a-z-]+(?: Ar \S+)?)/#, in: part)
      synopsis[command] = Set(
        options.map { $0.replacing("Fl ", with: "--").replacing("Ar ", with: "") })
    }
    synopsis[""] = nil
    return synopsis
  }

  /// What a pattern captures in some lines.
  static func texts(
    matching pattern: Regex<(Substring, Substring)>, in lines: some Sequence<String>
  ) -> [String] {
    lines.flatMap { line in line.matches(of: pattern).map { String($0.output.1) } }
  }

  /// What is shown as it is to be typed, or as a file.
  var blocks: [Page.Block] {
    var blocks: [Page.Block] = []
    var heading = ""
    var text: String?
    for line in lines {
      if line.hasPrefix(".Bd -literal") {
        text = ""
      } else if line == ".Ed", let block = text {
        blocks.append(Page.Block(heading: heading, language: Self.language(of: block), text: block))
        text = nil
      } else if text != nil {
        let quoted = line.replacing("\\(lq", with: "“").replacing("\\(rq", with: "”")
        text? += quoted.replacing("\\e", with: "\\") + "\n"
      } else if line.hasPrefix(".Sh ") {
        heading = String(line.dropFirst(4))
      }
    }
    return blocks
  }

  private static func language(of text: String) -> String {
    if text.hasPrefix("<") { return "xml" }
    if text.hasPrefix("{") { return "json" }
    if text.hasPrefix("#") { return "toml" }
    return text.contains(" * * *  ") ? "crontab" : "sh"
  }
}
