import Loans

/// The expirations of the record at hand, as far as they are known.
struct ExpirationElement {
  var count = 0
  var start = SourceLocation(line: 1, column: 1)
  var hasMarkup = false
  /// An element that may have been meant for one: the first that contains a date, or is misspelt.
  var suspect: Suspect?
  /// Whether texts go to the suspect.
  var isInSuspect = false

  /// An element or attribute that may be an expiration under another name.
  struct Suspect {
    var name: String
    var place: SourceLocation
    var isAttribute = false
    /// Whether only its namespace is another one.
    var isForeign = false
    var hasDate = true
  }
}

extension ExpirationElement.Suspect {
  /// The message about it.
  var message: String {
    let name = name.visible
    if isForeign {
      return """
        this <\(name)> is in another namespace, so its date is ignored; remove its prefix or xmlns
        """
    }
    if isAttribute {
      return """
        the attribute \(name) holds a date but is ignored; did you mean the element <expiration>?
        """
    }
    return "<\(name)> \(hasDate ? "holds a date but " : "")is ignored; did you mean <expiration>?"
  }
}

extension ExpirationElement {
  /// Ends the suspect, which is one if its text is a date or its name a slip.
  mutating func endSuspect(holding text: String) {
    isInSuspect = false
    if Self.isDate(text) { return }
    if let suspect, !suspect.isForeign, ExpirationName.isSlip(suspect.name) {
      self.suspect?.hasDate = false
    } else {
      suspect = nil
    }
  }

  /// Whether a text is a date, in whatever form.
  static func isDate(_ text: String) -> Bool {
    guard text.utf8.count <= 64 else { return false }
    do throws(CivilDate.ParseFailure) {
      _ = try CivilDate(dotted: Array(text.utf8).span)
      return true
    } catch {
      return error == .notADay || !DateSuggestion(text).words.isEmpty
    }
  }
}
