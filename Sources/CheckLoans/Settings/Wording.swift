import Languages

/// Texts of the library's own, from the table `[wording]` of the settings file, for all languages, or
/// `[wording.hu]`, for one.
struct Wording: Sendable {
  static let table = "wording"

  /// The tag of the language; `nil` for all that have no text of their own.
  let language: String?
  /// The texts by the names of messages, each with its plural forms.
  var texts: [String: [String]] = [:]

  /// The values that a message to a borrower may have anywhere.
  private static let common: Set = ["borrower", "library", "sender", "today", "count"]

  /// The messages that can be worded, by their names.
  static let messages = Dictionary(
    Message.worded.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })

  /// What is wrong with the texts for a message; `nil` if nothing is.
  func fault(in texts: [String], of message: Message) -> String? {
    let forms = language.flatMap { KnownLanguages().language(for: $0)?.pluralForms } ?? 2
    if texts.count > 1, message.pluralText == nil { return "has one form; give a text, not a list" }
    if texts.count > 1, texts.count != forms {
      return "has \(forms) plural forms in this language; give one text, or \(forms)"
    }
    let isOfMail = message.name.map { $0.hasPrefix("mail-") } ?? false
    for text in texts {
      let fault = message.fault(in: text, mayOmit: true, also: isOfMail ? Self.common : [])
      if let fault { return fault }
    }
    return nil
  }
}

extension Environment {
  /// The language with the library's own texts.
  func worded(_ language: Language) -> Language {
    let wordings = (given.file?.wordings ?? []).filter {
      $0.language == nil || $0.language == language.tag
    }
    if wordings.isEmpty { return language }
    var worded = language
    for wording in wordings { worded.wording.merge(wording.texts) { $1 } }
    return worded
  }
}
