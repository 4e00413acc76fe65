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

    /// The file that it is to be pasted to, if a comment in its first line names one.
    var file: String? {
      let words = text.prefix { $0 != "\n" }.split(separator: " ")
      guard words.count == 2, words[0] == "#" || words[0] == "//" else { return nil }
      return String(words[1])
    }

    var description: String {
      [heading, language, file].compactMap(\.self).joined(separator: ", ")
    }
  }

  let blocks: [Block]
  private let text: String

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
