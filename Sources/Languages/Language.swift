public import Loans

/// A language in which people are written to.
public struct Language: Sendable {
  /// Its tag, BCP 47.
  public let tag: String

  /// English, in which all messages are written.
  public static let english = Language(tag: "en")

  /// The text of a message.
  ///
  /// - Parameters:
  ///   - values: what stands for the names in braces.
  ///   - count: the number by which a plural form is chosen; it is also the value of `{count}`.
  public func text(
    _ message: Message, _ values: [String: String] = [:], count: Int? = nil
  ) -> String {
    var text = count.map { $0 != 1 } ?? false ? message.pluralText ?? message.text : message.text
    for (name, value) in values { text.replace("{\(name)}", with: value) }
    return text
  }

  /// A date as people write it.
  public func date(_ date: CivilDate) -> String { date.dotted }

  /// A title in quotation marks.
  public func quoted(_ title: String) -> String { "\"\(title)\"" }
}
