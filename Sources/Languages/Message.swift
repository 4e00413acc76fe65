internal import Loans

/// A sentence that people read, known by its English text.
///
/// A name in braces, `{title}`, is the place of a value; `{{` and `}}` are braces. Two messages are the
/// same if their context and their text are.
public final class Message: Sendable {
  /// The meaning, for translators, where one English text has several.
  public let context: String?
  /// The English text; where there are two, that for one.
  public let text: String
  /// The English text for any other number.
  public let pluralText: String?
  let template: Template
  let pluralTemplate: Template

  init(
    context: String? = nil, _ text: String, plural pluralText: String? = nil
  ) throws(Template.LoneBrace) {
    (self.context, self.text, self.pluralText) = (context, text, pluralText)
    template = try Template(text)
    pluralTemplate =
      try pluralText.map { text throws(Template.LoneBrace) in try Template(text) }
      ?? template
  }

  /// A message whose text is in the program.
  fileprivate static func ofProgram(
    _ context: String?, _ text: String, _ pluralText: String?
  ) -> Message {
    do throws(Template.LoneBrace) {
      return try Message(context: context, text, plural: pluralText)
    } catch {
      preconditionFailure("a brace has no counterpart: \(text)")
    }
  }
}

extension Message: Hashable {
  /// Whether context and text are the same.
  public static func == (left: Message, right: Message) -> Bool {
    left === right || left.text == right.text && left.context == right.context
  }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A sentence; xgettext(1) finds it by the name of this function.
func message(_ text: String) -> Message { .ofProgram(nil, text, nil) }

/// A sentence with a number in it, `{count}`; xgettext(1) finds it by the name of this function.
func plural(_ text: String, _ pluralText: String) -> Message { .ofProgram(nil, text, pluralText) }

/// A sentence whose English text has several meanings; xgettext(1) finds it by the name of this
/// function.
func message(context: String, _ text: String) -> Message { .ofProgram(context, text, nil) }

// MARK: - Checking

extension Message {
  /// The names of the values that have a place in it; a number with two digits is known without too.
  public var placeholders: Set<String> {
    let names = Set(template.names + pluralTemplate.names)
    return names.union(names.map(\.withoutDigits))
  }

  /// What is wrong with a text that is to replace the English one, in words; `nil` if nothing is.
  ///
  /// - Parameters:
  ///   - text: a translation or a wording.
  ///   - isForOneNumber: whether it is only for one number, which it may then give in words.
  ///   - mayOmit: whether it may do without values that the English text has.
  ///   - others: the names of further values that it may have.
  public func fault(
    in text: String, isForOneNumber: Bool = false, mayOmit: Bool = false,
    also others: Set<String> = []
  ) -> String? {
    guard let names = (try? Template(text)).map({ Set($0.names) }) else {
      return "a brace has no counterpart; write {{ or }} for a brace"
    }
    let known = placeholders.union(others)
    if let name = names.subtracting(known).min() {
      let list = known.sorted().map { "{\($0)}" }.joined(separator: ", ")
      return "{\(name.visible)} is unknown; this text has \(list.isEmpty ? "no values" : list)"
    }
    if text.contains("\n") && !self.text.contains("\n") {
      return "the text must be one line"
    }
    if let scalar = text.unicodeScalars.first(where: { $0.isUnsafeToShow && $0 != "\n" }) {
      return "the character \(scalar.escape) cannot be shown; leave it out"
    }
    if mayOmit { return nil }
    let lost = Set(known.map(\.withoutDigits)).subtracting(names.map(\.withoutDigits))
    return lost.filter { $0 != "count" || !isForOneNumber }.min().map { "{\($0)} is missing" }
  }
}

extension String {
  /// The name of a number that has two digits, `day02`, without that.
  fileprivate var withoutDigits: String { hasSuffix("02") ? String(dropLast(2)) : self }
}
