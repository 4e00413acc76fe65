internal import Loans

/// The entries of a PO file, in their order.
///
/// Obsolete entries, `#~`, are left out; fuzzy ones are marked.
///
/// - SeeAlso: "The format of PO files" in the manual of GNU gettext.
struct TranslationReader {
  /// A message and its translation.
  struct Entry {
    var context: String?
    var id: String?
    var plural: String?
    /// The translation's forms with the lines where they begin; an empty text is none.
    var forms: [(text: String, line: Int)] = []
    var isFuzzy = false
    /// The line of the message.
    var line = 0

    /// The message; `nil` for the header.
    ///
    /// - Throws: ``TranslationError`` if its braces make no sense.
    var message: Message? {
      get throws(TranslationError) {
        guard let id, !id.isEmpty || context != nil else { return nil }
        do throws(Template.LoneBrace) {
          return try Message(context: context, id, plural: plural)
        } catch {
          throw TranslationError(line: line, message: "a brace of the message has no counterpart")
        }
      }
    }
  }

  private enum Field { case context, id, plural, form }

  private(set) var entries: [Entry] = []
  private var entry = Entry()
  /// What a line with nothing but a string goes on with.
  private var field: Field?
  private var line = 0

  init(_ bytes: [UInt8]) throws(TranslationError) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      self.line += 1
      guard let line = String(validating: line, as: UTF8.self) else {
        throw fault("this is not UTF-8; save the file as UTF-8")
      }
      try read(line.utf8.drop { $0.isBlank })
    }
    try finish()
  }

  private func fault(_ message: String) -> TranslationError {
    TranslationError(line: line, message: message)
  }

  private mutating func read(_ text: Substring.UTF8View) throws(TranslationError) {
    switch text.first {
    case nil: return
    case UInt8(ascii: "#"): try readComment(text)
    case UInt8(ascii: "\""): try append(text)
    default:
      let word = text.prefix { !$0.isBlank && $0 != UInt8(ascii: "\"") }
      try begin(String(Substring(word)))
      try append(text.dropFirst(word.count).drop { $0.isBlank })
    }
  }

  private mutating func readComment(_ text: Substring.UTF8View) throws(TranslationError) {
    if !entry.forms.isEmpty { try finish() }
    guard text.dropFirst().first == UInt8(ascii: ",") else { return }
    let flags = Substring(text.dropFirst(2)).split { $0 == "," || $0 == " " || $0 == "\r" }
    if flags.contains("fuzzy") { entry.isFuzzy = true }
  }

  /// Begins what a keyword names.
  private mutating func begin(_ word: String) throws(TranslationError) {
    if word == "msgctxt" || word == "msgid", !entry.forms.isEmpty { try finish() }
    switch word {
    case "msgctxt" where entry.id == nil && entry.context == nil:
      (entry.context, field) = ("", .context)
    case "msgid" where entry.id == nil: (entry.id, entry.line, field) = ("", line, .id)
    case "msgid_plural" where entry.id != nil && entry.plural == nil && entry.forms.isEmpty:
      (entry.plural, field) = ("", .plural)
    case "msgstr" where entry.id != nil && entry.plural == nil && entry.forms.isEmpty,
      "msgstr[\(entry.forms.count)]" where entry.plural != nil:
      entry.forms.append(("", line))
      field = .form
    default:
      let isKnown = ["msgctxt", "msgid", "msgid_plural", "msgstr"].contains(word)
      throw fault(
        isKnown || word.hasPrefix("msgstr[")
          ? "\(word.visible) is not expected here"
          : "expected msgid, msgstr or a comment, found \(word.quoted(limit: 20))")
    }
  }

  /// Appends a string in quotation marks to what is being read.
  private mutating func append(_ text: Substring.UTF8View) throws(TranslationError) {
    let string = try string(text)
    switch field {
    case .context: entry.context? += string
    case .id: entry.id? += string
    case .plural: entry.plural? += string
    case .form: entry.forms[entry.forms.count - 1].text += string
    case nil: throw fault("this text belongs to no msgid or msgstr")
    }
  }

  private func string(_ text: Substring.UTF8View) throws(TranslationError) -> String {
    var (rest, bytes) = (text, [UInt8]())
    guard rest.popFirst() == UInt8(ascii: "\"") else {
      throw fault("expected a text in quotation marks")
    }
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""):
        if rest.allSatisfy(\.isBlank) { return String(decoding: bytes, as: UTF8.self) }
        throw fault("expected the end of the line after the text; write \\\" for a quotation mark")
      case UInt8(ascii: "\\"):
        guard let next = rest.popFirst(), let escaped = Self.escapes[next] else {
          throw fault("after a backslash, only n, t, \\ and \" are known")
        }
        bytes.append(escaped)
      default: bytes.append(byte)
      }
    }
    throw fault("the text lacks its closing quotation mark")
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "n"): UInt8(ascii: "\n"), UInt8(ascii: "t"): UInt8(ascii: "\t"),
    UInt8(ascii: "\\"): UInt8(ascii: "\\"), UInt8(ascii: "\""): UInt8(ascii: "\""),
  ]

  /// Ends an entry.
  private mutating func finish() throws(TranslationError) {
    if entry.id != nil {
      if entry.forms.isEmpty {
        throw TranslationError(line: entry.line, message: "this message has no msgstr")
      }
      entries.append(entry)
    } else if entry.context != nil {
      throw fault("expected msgid after msgctxt")
    }
    (entry, field) = (Entry(), nil)
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { [0x20, 0x09, 0x0D].contains(self) }
}

// MARK: - A language

extension Language {
  /// The language of a PO file.
  ///
  /// - Throws: ``TranslationError`` for what cannot be read, and for a translation with an unknown value,
  ///   without one that it needs, or with too few plural forms.
  public init(reading bytes: [UInt8]) throws(TranslationError) {
    let entries = try TranslationReader(bytes).entries
    let header = try TranslationHeader(entries)
    var translations: [Message: [Template]] = [:]
    var known: Set<Message> = []
    let singular = header.rule.formsForOneNumber
    for entry in entries {
      guard let message = try entry.message else { continue }
      if !known.insert(message).inserted {
        throw TranslationError(line: entry.line, message: "this message is in the file twice")
      }
      if entry.isFuzzy || entry.forms.contains(where: \.text.isEmpty) { continue }
      translations[message] = try entry.templates(of: message, header.rule, singular)
    }
    self.init(tag: header.tag, translations, header.rule)
  }
}

extension TranslationReader.Entry {
  fileprivate func templates(
    of message: Message, _ rule: PluralRule, _ singular: Set<Int>
  ) throws(TranslationError) -> [Template] {
    if plural != nil && forms.count != rule.forms {
      let message = "expected \(rule.forms) plural forms as of the header, found \(forms.count)"
      throw TranslationError(line: line, message: message)
    }
    for (index, form) in forms.enumerated() {
      let isForOneNumber = plural != nil && singular.contains(index)
      if let fault = message.fault(in: form.text, isForOneNumber: isForOneNumber) {
        throw TranslationError(line: form.line, message: fault)
      }
    }
    return forms.compactMap { try? Template($0.text) }
  }
}

/// The first entry of a PO file.
private struct TranslationHeader {
  let tag: String
  let rule: PluralRule

  init(_ entries: [TranslationReader.Entry]) throws(TranslationError) {
    guard let entry = entries.first(where: { $0.id == "" && $0.context == nil }),
      let form = entry.forms.first
    else {
      let message = "the file has no header, an empty msgid with Language and Plural-Forms"
      throw TranslationError(line: 1, message: message)
    }
    // Editors write each field in a line of its own, after an empty one.
    let lines = form.text.split(separator: "\n").map(String.init)
    func value(of name: String) throws(TranslationError) -> (text: String, line: Int) {
      if let index = lines.firstIndex(where: { $0.hasPrefix("\(name):") }) {
        let text = String(lines[index].dropFirst(name.count + 1).drop { $0 == " " })
        if !text.isEmpty { return (text, form.line + 1 + index) }
      }
      throw TranslationError(line: form.line, message: "the header lacks \(name)")
    }
    let type = try value(of: "Content-Type")
    if !type.text.lowercased().hasSuffix("charset=utf-8") {
      throw TranslationError(line: type.line, message: "expected charset=UTF-8 in Content-Type")
    }
    let language = try value(of: "Language")
    tag = language.text.replacing("_", with: "-")
    guard tag.wholeMatch(of: #/[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}/#) != nil else {
      throw TranslationError(
        line: language.line, message: "Language must be a tag such as hu or pt-BR")
    }
    let plural = try value(of: "Plural-Forms")
    do throws(PluralRule.Fault) { rule = try PluralRule(plural.text) } catch {
      throw TranslationError(line: plural.line, message: error.words)
    }
  }
}
