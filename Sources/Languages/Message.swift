internal import Loans

/// A sentence that people read, known by its English text.
///
/// A name in braces, `{title}`, is the place of a value; `{{` and `}}` are braces. Two messages are the
/// same if their context and their text are.
public struct Message: Sendable {
  /// The meaning, for translators, where one English text has several.
  public let context: String?
  /// The English text; where there are two, that for one.
  public let text: String
  /// The English text for any other number.
  public let pluralText: String?
  /// The name by which a library gives it a wording of its own; `nil` if it cannot.
  public private(set) var name: String?

  /// The same message with a name for wordings.
  func named(_ name: String) -> Message {
    var message = self
    message.name = name
    return message
  }
}

extension Message: Hashable {
  /// Whether context and text are the same.
  public static func == (left: Message, right: Message) -> Bool {
    left.text == right.text && left.context == right.context
  }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A sentence; xgettext(1) finds it by the name of this function.
func message(_ text: String) -> Message {
  Message(context: nil, text: text, pluralText: nil)
}

/// A sentence with a number in it, `{count}`; xgettext(1) finds it by the name of this function.
func plural(_ text: String, _ pluralText: String) -> Message {
  Message(context: nil, text: text, pluralText: pluralText)
}

/// A sentence whose English text has several meanings; xgettext(1) finds it by the name of this
/// function.
func message(context: String, _ text: String) -> Message {
  Message(context: context, text: text, pluralText: nil)
}

// MARK: - Checking

extension Message {
  /// The names of the values that have a place in it; a number with two digits is known without too.
  public var placeholders: Set<String> {
    let texts = [text, pluralText].compactMap(\.self)
    let names = Set(texts.flatMap { (try? $0.placeholders()) ?? [] })
    return names.union(names.map(\.withoutDigits))
  }

  /// What is wrong with a text that is to replace the English one, in words; `nil` if nothing is.
  ///
  /// - Parameters:
  ///   - text: a translation or a wording.
  ///   - isForOneNumber: whether it is only for one number, which it may then give in words.
  ///   - mayOmit: whether it may do without values that the English text has.
  public func fault(
    in text: String, isForOneNumber: Bool = false, mayOmit: Bool = false
  ) -> String? {
    let names: Set<String>
    do throws(LoneBrace) { names = try text.placeholders() } catch {
      return "a brace has no counterpart; write {{ or }} for a brace"
    }
    let known = placeholders
    if let name = names.subtracting(known).min() {
      let list = known.sorted().map { "{\($0)}" }.joined(separator: ", ")
      return "{\(name)} is unknown; this text has \(list.isEmpty ? "no values" : list)"
    }
    if text.contains("\n") && !self.text.contains("\n") { return "the text must be one line" }
    if let scalar = text.unicodeScalars.first(where: { $0.isUnsafeToShow && $0 != "\n" }) {
      return "the character \(scalar.escape) cannot be shown; leave it out"
    }
    if mayOmit { return nil }
    let lost = Set(known.map(\.withoutDigits)).subtracting(names.map(\.withoutDigits))
    return lost.filter { $0 != "count" || !isForOneNumber }.min().map { "{\($0)} is missing" }
  }
}

/// A brace that belongs to no name, and is not written twice.
struct LoneBrace: Error {}

extension String {
  /// The name of a number that has two digits, `day02`, without that.
  fileprivate var withoutDigits: String { hasSuffix("02") ? String(dropLast(2)) : self }

  /// The names in braces.
  fileprivate func placeholders() throws(LoneBrace) -> Set<String> {
    var names: Set<String> = []
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      guard byte == .openingBrace || byte == .closingBrace else { continue }
      if rest.first == byte {
        rest.removeFirst()
        continue
      }
      let name = rest.prefix { $0 != .closingBrace && $0 != .openingBrace }
      guard byte == .openingBrace, !name.isEmpty, rest.dropFirst(name.count).first == .closingBrace
      else { throw LoneBrace() }
      names.insert(String(name) ?? "")
      rest = rest.dropFirst(name.count + 1)
    }
    return names
  }
}
