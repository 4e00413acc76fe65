import TestSupport

/// A page of documentation, taken apart into what a reader would paste.
struct Page {
  /// What stands between two fences.
  struct Block: CustomStringConvertible {
    /// The heading above it.
    var heading: String
    /// What it is written in.
    var language: String
    var text: String

    /// The file that it is to be pasted to, if its first line is a comment that names one; in a
    /// script that is the second line, and a colon may follow with what it is for.
    var file: String? {
      let lines = text.split(separator: "\n", maxSplits: 2)
      guard let line = lines.first(where: { !$0.hasPrefix("#!") }) else { return nil }
      let words = line.split(separator: " ")
      switch words.first {
      case "#" where words.count > 1 && text.hasPrefix("#!"):
        return String(words[1].prefix { $0 != ":" })
      case "#" where words.count == 2, "//" where words.count == 2: return String(words[1])
      case "<!--" where words.count == 3: return String(words[1])
      default: return nil
      }
    }

    var description: String {
      [heading, language, file].compactMap(\.self).joined(separator: ", ")
    }
  }

  let blocks: [Block]
  private let text: String

  /// What stands outside the blocks, a line each.
  private var lines: [Substring] {
    var isInBlock = false
    return text.split(separator: "\n").filter {
      if $0.hasPrefix("```") { isInBlock.toggle() }
      return !isInBlock
    }
  }

  /// Where its links and pictures lead.
  var links: [String] {
    lines.joined(separator: "\n").split(separator: "](").dropFirst()
      .map { String($0.prefix { $0 != ")" }) }
  }

  /// The names of its headings in links, as GitHub makes them.
  var anchors: [String] {
    lines.filter { $0.hasPrefix("#") }.map { line in
      line.drop { $0 == "#" }.dropFirst().lowercased().replacing(" ", with: "-")
        .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    }
  }

  /// Reads a page of the project.
  init(_ name: String) throws {
    text = try File.text(of: "\(projectDirectory)/\(name)")
    blocks = Self.blocks(of: text)
  }

  /// The only block of this description.
  subscript(description: String) -> Block {
    let found = self[all: description]
    precondition(found.count == 1, "\(found.count) blocks are \"\(description)\"")
    return found[0]
  }

  /// The blocks of this description, in their order.
  subscript(all description: String) -> [Block] {
    blocks.filter { $0.description == description }
  }

  /// The first column of the tables' rows, without their heads.
  var rowNames: [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("| ") }
      .map { String($0.split(separator: " ")[1]) }
  }

  /// The names, marked as code, in the first column of the table under a heading.
  func names(under heading: String) -> [String] {
    text.split(separator: "\n").drop { $0 != "## \(heading)" }.dropFirst()
      .prefix { !$0.hasPrefix("## ") }.filter { $0.hasPrefix("| ") }
      .flatMap { row in
        let parts = row.split(separator: "|")[0].split(separator: "`")
        return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
      }
  }

  private static func blocks(of text: String) -> [Block] {
    var blocks: [Block] = []
    var heading = ""
    var open: Block?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        if let block = open { blocks.append(block) }
        let language = String(line.dropFirst(3))
        open = open == nil ? Block(heading: heading, language: language, text: "") : nil
      } else if open != nil {
        open?.text += line + "\n"
      } else if line.hasPrefix("#") {
        heading = String(line.drop { $0 == "#" }.dropFirst())
      }
    }
    precondition(open == nil, "a block under \"\(heading)\" does not end")
    return blocks
  }
}

/// What somebody types into a shell, and what is seen then.
struct ShellSession: Equatable {
  /// A command, over several lines perhaps.
  struct Entry: Equatable {
    var command: String
    var output = ""
  }

  var entries: [Entry] = []

  init(entries: [Entry]) { self.entries = entries }

  /// Reads what a page shows: commands after `$ `, continued after `> `, and what they print.
  init(_ block: Page.Block) {
    for line in block.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if line.hasPrefix("$ ") {
        entries.append(Entry(command: "\(line.dropFirst(2))\n"))
        continue
      }
      precondition(!entries.isEmpty, "\"\(line)\" is the output of nothing")
      if line.hasPrefix("> ") {
        entries[entries.count - 1].command += line.dropFirst(2) + "\n"
      } else {
        entries[entries.count - 1].output += line + "\n"
      }
    }
  }
}
