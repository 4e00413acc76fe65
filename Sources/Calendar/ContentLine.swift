/// A line of an iCalendar file, as it was before it was folded: `DTSTART;VALUE=DATE:20261224`.
///
/// - SeeAlso: RFC 5545, section 3.1.
struct ContentLine {
  /// The number of its first line in the file, from 1.
  let number: Int
  /// The name in capital letters, `DTSTART`.
  let name: String
  /// What follows the name before the colon, in capital letters: `VALUE=DATE`.
  let parameters: [String]
  /// What follows the colon, as written.
  let value: String

  /// Reads an unfolded line; fails if it has no name or no colon.
  init?(_ text: String, number: Int) {
    var parts = [""]
    var isQuoted = false
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst(), isQuoted || scalar != ":" {
      if scalar == "\"" { isQuoted.toggle() }
      if scalar == ";" && !isQuoted {
        parts.append("")
      } else {
        parts[parts.count - 1].unicodeScalars.append(scalar)
      }
      if rest.isEmpty { return nil }
    }
    name = parts.removeFirst().uppercased()
    let isName = name.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "-") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    guard isName, !name.isEmpty else { return nil }
    parameters = parts.map { $0.uppercased() }
    value = String(rest)
    self.number = number
  }

  /// The lines of a file, unfolded and without blank ones, as texts with the numbers of their first
  /// lines.
  ///
  /// Lines end with CRLF or LF; one that begins with a space or a tab continues the one before.
  static func unfolded(_ bytes: [UInt8]) -> [(text: String, number: Int)] {
    var lines: [(bytes: [UInt8], number: Int)] = []
    // A character may have been folded in two, so that only whole lines are texts.
    for (index, line) in bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
      let line = line.last == 13 ? line.dropLast() : line
      if let first = line.first, first == 32 || first == 9, !lines.isEmpty {
        lines[lines.count - 1].bytes += line.dropFirst()
      } else if !line.isEmpty {
        lines.append((Array(line), index + 1))
      }
    }
    return lines.map { line in
      let text = String(decoding: line.bytes, as: UTF8.self)
      return (
        line.number == 1 && text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text,
        line.number
      )
    }
  }

  /// The texts in the value, between commas, without their escapes.
  ///
  /// - SeeAlso: RFC 5545, section 3.3.11.
  var texts: [String] {
    var texts = [""]
    var isEscaped = false
    for character in value.unicodeScalars {
      if isEscaped {
        texts[texts.count - 1].unicodeScalars.append(
          "nN".unicodeScalars.contains(character) ? " " : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "," {
        texts.append("")
      } else {
        texts[texts.count - 1].unicodeScalars.append(character)
      }
    }
    return texts
  }

  /// The value as one text, without its escapes.
  var text: String { texts.joined(separator: ",") }
}
