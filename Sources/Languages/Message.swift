/// A sentence that people read, known by its English text.
///
/// What stands in it for a value is a name in braces, `{title}`.
public struct Message: Hashable, Sendable {
  /// What tells it from one with the same English text, for translators.
  public let context: String?
  /// The English text; where there are two, that for one.
  public let text: String
  /// The English text for any other number.
  public let pluralText: String?
}

/// A sentence; xgettext(1) finds it by the name of this function.
func message(_ text: String) -> Message {
  Message(context: nil, text: text, pluralText: nil)
}

/// A sentence with a number in it, `{count}`; xgettext(1) finds it by the name of this function.
func plural(_ text: String, _ pluralText: String) -> Message {
  Message(context: nil, text: text, pluralText: pluralText)
}

/// A sentence whose English text has several meanings; xgettext(1) finds it by the name of this function.
func message(context: String, _ text: String) -> Message {
  Message(context: context, text: text, pluralText: nil)
}
