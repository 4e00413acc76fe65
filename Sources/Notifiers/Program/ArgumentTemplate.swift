internal import Loans

/// An argument of a program with names in braces that stand for what a message says:
/// `Title: {title}`; `{{` is a brace.
public struct ArgumentTemplate: Sendable, Hashable {
  /// A name in braces.
  public enum Placeholder: String, CaseIterable, Sendable {
    case title, text, count, urgency, priority, borrower, email
  }

  /// Why a text is no template.
  public struct Failure: Error, CustomStringConvertible {
    /// One line that says what is wrong, and what could be there.
    public let description: String
  }

  private enum Part: Sendable, Hashable {
    case text(String)
    case value(Placeholder)
  }

  private var parts: [Part] = []

  /// The template that a text is.
  public init(_ text: String) throws(Failure) {
    var rest = text.unicodeScalars[...]
    var literal = ""
    while let brace = rest.firstIndex(of: "{") {
      literal += String(rest[..<brace])
      rest = rest[brace...].dropFirst()
      if rest.first == "{" {
        literal += "{"
        rest = rest.dropFirst()
        continue
      }
      let name = String(rest.prefix { $0 != "}" })
      let found = name.shortened(to: 20).visible
      guard rest.contains("}") else {
        throw Failure(description: "{\(found) has no closing brace; write {{ for a brace")
      }
      guard let placeholder = Placeholder(rawValue: name) else {
        let known = Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
        throw Failure(description: "{\(found)} is none of \(known); write {{ for a brace")
      }
      parts += [.text(literal), .value(placeholder)]
      literal = ""
      rest = rest.dropFirst(name.unicodeScalars.count + 1)
    }
    parts.append(.text(literal + String(rest)))
  }

  /// The text of a template without placeholders; `nil` if it has some.
  public var text: String? {
    if parts.count == 1, case .text(let text) = parts[0] { text } else { nil }
  }

  /// The argument with values in it; `nil` if it then begins like an option, or like the name of a file
  /// to read, `@…`, though the template does not.
  func argument(_ value: (Placeholder) -> String) -> String? {
    let texts = parts.map { part in
      switch part {
      case .text(let text): text
      case .value(let placeholder): value(placeholder)
      }
    }
    let argument = texts.joined()
    let isOwn = texts[0].isEmpty && parts.count > 1
    return isOwn && "-@".unicodeScalars.contains(where: { argument.unicodeScalars.first == $0 })
      ? nil : argument
  }
}
