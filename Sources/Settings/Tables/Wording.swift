import CommandOutput
package import Languages
import Loans

/// Texts of the library's own, from the table `[wording]` of the settings file, for all languages, or
/// `[wording.hu]`, for one.
package struct Wording: Sendable {
  static let table = "wording"
  /// How the tables are written.
  static let advice =
    "write texts below a line [wording], or [wording.hu] for one language"

  static func advice(onUnknown key: String) -> String {
    let names = Message.worded.keys.sorted()
    let advice =
      key.nearest(among: names).map { "did you mean \"\($0)\"?" }
      ?? "there are \(names.joined(separator: ", "))"
    return "unknown text \(key.quoted(limit: 40)); \(advice)"
  }

  /// The language; `nil` for all that have no text of their own.
  let language: Language?
  /// The texts of messages, each with its plural forms.
  var texts: [Message: [String]] = [:]
  /// The same by their keys, with their places.
  var settings: [Setting] = []

  /// The values that a message to a borrower may have anywhere.
  private static let common: Set = ["borrower", "library", "sender", "today", "count"]

  /// What is wrong with the texts for a message; `nil` if nothing is.
  func fault(in texts: [String], of message: Message, named name: String) -> String? {
    let language = language ?? .english
    let forms = message.pluralText == nil ? 1 : language.pluralForms
    if texts.isEmpty { return "expected a text, found none" }
    if texts.count > 1, texts.count != forms {
      let plural = forms == 1 ? "" : ", or the \(forms) plural forms of \"\(language.tag)\""
      return "expected one text\(plural), found \(texts.count)"
    }
    if message.isOptional && texts == [""] { return nil }
    if texts.contains(where: { $0.allSatisfy(\.isWhitespace) }) {
      return "expected a text, found only white space"
    }
    let others = name.hasPrefix("mail-") ? Self.common : []
    return texts.lazy.compactMap { message.fault(in: $0, mayOmit: true, also: others) }.first
  }
}

extension Environment {
  /// The language with the library's own texts.
  package func worded(_ language: Language) -> Language {
    (given.file?.wordings ?? [])
      .filter { $0.language == nil || $0.language?.tag == language.tag }
      .reduce(language) { $0.worded($1.texts) }
  }
}
