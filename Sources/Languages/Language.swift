public import Loans

/// A language in which people are written to.
///
/// Values are put into a message as they are, and never looked at for names in braces: a book called
/// `{borrower}` keeps its title.
///
///     let hungarian = KnownLanguages().language(for: "hu_HU.UTF-8") ?? .english
///     hungarian.date(day)       // 2026. 11. 22.
///     hungarian.quoted("Abigél")  // „Abigél”
public struct Language: Sendable {
  /// Its tag, BCP 47.
  public let tag: String
  /// The library's own texts by the names of messages, each with its plural forms; they come before
  /// translations.
  public var wording: [String: [String]] = [:]
  private let translations: [Message: [String]]
  private let rule: PluralRule

  init(tag: String, _ translations: [Message: [String]], _ rule: PluralRule) {
    self.tag = tag
    self.translations = translations
    self.rule = rule
  }

  /// English, in which all messages are written.
  public static let english = Language(tag: "en", [:], .germanic)

  /// The number of texts that a message with a number in it needs.
  public var pluralForms: Int { rule.forms }

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

  /// A date as people write it.
  public func date(_ date: CivilDate) -> String { text(of: date, .date) }

  /// A title in quotation marks.
  public func quoted(_ title: String) -> String { text(.quotedTitle, ["title": title]) }

  /// A date as people write it within a sentence.
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
    let text = template.utf8.span
    var index = 0
    while index < text.count {
      let start = index
      while index < text.count, !text[index].isBrace { index += 1 }
      bytes.append(copying: text.extracting(start..<index))
      guard index + 1 < text.count else { break }
      let nameStart = index + 1
      if text[nameStart] == text[index] {
        bytes.append(text[index])
        index += 2
        continue
      }
      index = nameStart
      while index < text.count, text[index] != .closingBrace { index += 1 }
      let name = String(text.extracting(nameStart..<index))
      if name == "count", let count { bytes += String(count).utf8 } else { value(name, &bytes) }
      index += 1
    }
  }

  /// Appends a date.
  package func append(_ date: CivilDate, _ form: Message = .date, to bytes: inout [UInt8]) {
    let (year, month, day) = date.parts
    append(form, to: &bytes) { name, bytes in
      switch name {
      case "year": bytes += year.digits(4).utf8
      case "month": bytes += String(month).utf8
      case "month02": bytes += month.digits(2).utf8
      case "day": bytes += String(day).utf8
      case "day02": bytes += day.digits(2).utf8
      default: break
      }
    }
  }

  private func template(of message: Message, _ count: Int?) -> String {
    guard let forms = message.name.flatMap({ wording[$0] }) ?? translations[message],
      let last = forms.last
    else {
      return count == nil || count == 1 ? message.text : message.pluralText ?? message.text
    }
    let form = count.map { rule.form(of: $0.magnitude) } ?? 0
    return form < forms.count ? forms[form] : last
  }
}

extension UInt8 {
  static let openingBrace = UInt8(ascii: "{")
  static let closingBrace = UInt8(ascii: "}")

  fileprivate var isBrace: Bool { self == .openingBrace || self == .closingBrace }
}

extension [UInt8] {
  fileprivate mutating func append(copying span: Span<UInt8>) {
    append(addingCapacity: span.count) { added in
      for index in span.indices { added.append(span[index]) }
    }
  }
}

extension String {
  /// A copy of a text in UTF-8; a short one needs no memory of its own.
  fileprivate init(_ span: Span<UInt8>) {
    guard let text = try? UTF8Span(validating: span) else {
      preconditionFailure("a name in braces is cut out of a text")
    }
    self.init(copying: text)
  }
}
