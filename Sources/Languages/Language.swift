public import Loans

/// A language in which people are written to.
///
/// Values are put into a message as they are, and never looked at for names in braces: a book called
/// `{borrower}` keeps its title.
///
///     let hungarian = KnownLanguages().language(for: "hu_HU.UTF-8") ?? .english
///     hungarian.date(day)      // 2026. 11. 22.
///     hungarian.longDate(day)  // 2026. november 22.
public struct Language: Sendable {
  /// Its tag, BCP 47.
  public let tag: String
  private var translations: [Message: [Template]]
  private let rule: PluralRule

  init(tag: String, _ translations: [Message: [Template]], _ rule: PluralRule) {
    self.tag = tag
    self.translations = translations
    self.rule = rule
  }

  /// English, in which all messages are written.
  public static let english = Language(tag: "en", [:], .germanic)

  /// The number of texts that a message with a number in it needs.
  public var pluralForms: Int { rule.forms }

  /// The language with a library's own texts in place of some of its translations.
  ///
  /// - Parameter texts: texts without fault, each the only one of its message, or one of its plural forms.
  public func worded(_ texts: [Message: [String]]) -> Language {
    var language = self
    for (message, forms) in texts {
      language.translations[message] = forms.compactMap { try? Template($0) }
    }
    return language
  }

  /// Whether it has a text of its own for a message.
  package func translates(_ message: Message) -> Bool { translations[message] != nil }

  /// The text of a message.
  ///
  /// - Parameters:
  ///   - values: what is put in the places of the names in braces.
  ///   - count: the number by which a plural form is chosen; it is also the value of `{count}`.
  public func text(
    _ message: Message, _ values: [String: String] = [:], count: Int? = nil
  ) -> String {
    var bytes: [UInt8] = []
    append(message, count: count, to: &bytes) { name, bytes in
      if let value = values[name] { bytes += value.utf8 }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A date as reports have it, in digits.
  public func date(_ date: CivilDate) -> String { text(of: date, .date) }

  /// A date as people write it to each other, with the name of the month.
  public func longDate(_ date: CivilDate) -> String { text(of: date, .longDate) }

  /// A date within a sentence of a report.
  package func dateInSentence(_ date: CivilDate) -> String { text(of: date, .dateInSentence) }

  private func text(of date: CivilDate, _ form: Message) -> String {
    var bytes: [UInt8] = []
    append(date, form, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

// MARK: - Bytes

extension Language {
  /// Appends the text of a message in UTF-8.
  ///
  /// - Parameters:
  ///   - count: the number by which a plural form is chosen; it is also the value of `{count}`.
  ///   - value: appends the value of a name.
  package func append(
    _ message: Message, count: Int? = nil, to bytes: inout [UInt8],
    _ value: (_ name: String, _ bytes: inout [UInt8]) -> Void = { _, _ in }
  ) {
    let template = template(of: message, count)
    for part in template.parts {
      bytes += part.text
      if let count, part.name == "count" {
        bytes += String(count).utf8
      } else {
        value(part.name, &bytes)
      }
    }
    bytes += template.end
  }

  /// Appends a date.
  package func append(_ date: CivilDate, _ form: Message = .date, to bytes: inout [UInt8]) {
    let (year, month, day) = date.parts
    append(form, to: &bytes) { name, bytes in
      switch name {
      case "year": bytes += year.digits(4).utf8
      case "month": bytes += String(month).utf8
      case "month02": bytes += month.digits(2).utf8
      case "monthName": append(Message.monthNames[month - 1], to: &bytes)
      case "day": bytes += String(day).utf8
      case "day02": bytes += day.digits(2).utf8
      default: break
      }
    }
  }

  private func template(of message: Message, _ count: Int?) -> Template {
    let isPlural = count != nil && count != 1
    if !translations.isEmpty, let template = translations[message].flatMap({ form($0, count) }) {
      return template
    }
    return isPlural ? message.pluralTemplate : message.template
  }

  /// The form for a number, or the last one where there are too few.
  private func form(_ forms: [Template], _ count: Int?) -> Template? {
    let form = count.map { rule.form(of: $0.magnitude) } ?? 0
    return form < forms.count ? forms[form] : forms.last
  }
}
