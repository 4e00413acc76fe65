/// The languages that can be chosen: English, those that come with the program, and perhaps one from
/// a file.
public struct KnownLanguages: Sendable {
  /// The one from a file, which replaces another of its tag.
  public let own: Language?

  /// The languages, with this one from a file.
  public init(own: Language? = nil) { self.own = own }

  /// The tags of the languages that come with the program, English first.
  public static let builtInTags = ["en", "hu", "de", "cs", "ru", "zh"]

  // Each is read when it is first used.
  private static let hungarian = builtIn(PackageResources.hu_po)
  private static let german = builtIn(PackageResources.de_po)
  private static let czech = builtIn(PackageResources.cs_po)
  private static let russian = builtIn(PackageResources.ru_po)
  private static let chinese = builtIn(PackageResources.zh_po)

  private static func builtIn(_ bytes: [UInt8]) -> Language {
    do throws(TranslationError) { return try Language(reading: bytes) } catch {
      preconditionFailure("a translation that comes with the program is wrong: \(error)")
    }
  }

  /// The language of a tag (BCP 47, `zh-Hans-CN`), a locale (POSIX, `hu_HU.UTF-8`) or a code of three
  /// letters (ISO 639-2, `hun`); what is too exact is cut from the right until a language fits.
  ///
  /// - Returns: `nil` if none fits.
  public func language(for text: String) -> Language? {
    var parts = text.prefix { $0 != "." && $0 != "@" }.lowercased()
      .split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }.map(String.init)
    if let code = parts.first.flatMap({ Self.shortCodes[$0] }) { parts[0] = code }
    while !parts.isEmpty {
      if let language = language(tagged: parts.joined(separator: "-")) { return language }
      parts.removeLast()
    }
    return nil
  }

  private func language(tagged tag: String) -> Language? {
    if let own, own.tag.lowercased() == tag { return own }
    return switch tag {
    case "en": .english
    case "hu": Self.hungarian
    case "de": Self.german
    case "cs": Self.czech
    case "ru": Self.russian
    case "zh": Self.chinese
    default: nil
    }
  }

  /// The codes of three letters, for bibliography and terminology.
  private static let shortCodes = [
    "eng": "en", "hun": "hu", "ger": "de", "deu": "de", "cze": "cs", "ces": "cs", "rus": "ru",
    "chi": "zh", "zho": "zh", "cmn": "zh",
  ]

  /// The language that the environment asks for, in the order of POSIX, `LANGUAGE` first unless the
  /// locale is C; no locale needs to be installed.
  ///
  /// - Parameter variables: the environment.
  /// - SeeAlso: `gettext(3)`, `locale(7)`.
  public func language(of variables: [String: String]) -> Language {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { variables[$0] }
      .first { !$0.isEmpty }
    guard let locale, locale != "C", locale != "POSIX" else { return .english }
    let wanted = variables["LANGUAGE"].flatMap { $0.isEmpty ? nil : $0 } ?? locale
    return wanted.split(separator: ":").lazy.compactMap { language(for: String($0)) }.first
      ?? .english
  }
}

// MARK: - The list

extension KnownLanguages {
  /// The PO template with all messages, for a new translation.
  package static var template: [UInt8] { PackageResources.check_loans_pot }

  /// All messages, as the template has them.
  package static func messages() throws(TranslationError) -> [Message] {
    var messages: [Message] = []
    for entry in try TranslationReader(template).entries {
      if let message = try entry.message { messages.append(message) }
    }
    return messages
  }
}
