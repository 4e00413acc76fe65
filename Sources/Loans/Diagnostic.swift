/// A location in a text, counted as editors do.
public struct SourceLocation: Hashable, Comparable, Sendable {
  /// 1 for the first line; a line ends with LF or CRLF.
  public var line: Int
  /// 1 for the first character of a line; counts Unicode scalars of the decoded text.
  public var column: Int

  /// The location at this line and column, both from 1.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Reading order.
  public static func < (left: SourceLocation, right: SourceLocation) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// A problem found in the user's catalogue.
public struct Diagnostic: Hashable, Sendable {
  /// How much harm a problem does.
  public enum Severity: String, Sendable {
    /// A loan, or the whole catalogue, could not be used as it is.
    case error
    /// Nothing was left out, but somebody should look.
    case warning
  }

  /// A kind of problem; a code, once published, never changes its meaning.
  public enum Code: String, CaseIterable, CustomStringConvertible, Sendable {
    /// The document is not well-formed XML.
    case malformedXML = "malformed-xml"
    /// The document refers to a text outside itself, or that only a document type outside it could
    /// define.
    case externalEntity = "external-entity"
    /// The document type declares a text that would be put into the document: of an entity, or the value
    /// of an attribute.
    case declaredText = "declared-text"
    /// The document's encoding is unknown or refused.
    case unsupportedEncoding = "unsupported-encoding"
    /// The document holds no record.
    case noLoans = "no-loans"
    /// The file is not XML: compressed, JSON, a page for a browser.
    case notACatalogue = "not-a-catalogue"
    /// The document is a server's error in place of an answer.
    case errorAnswer = "error-answer"
    /// The server does not know the borrower that it was asked about.
    case unknownBorrower = "unknown-borrower"
    /// The document says that there are more loans than it contains.
    case incompleteAnswer = "incomplete-answer"
    /// No record has anything where an expiration is looked for.
    case noExpirations = "no-expirations"
    /// An expiration has neither the form `yyyy.MM.dd` nor one of the catalogue's profile.
    case dateFormat = "date-format"
    /// An expiration has the right form but is not a day of the calendar.
    case impossibleDate = "impossible-date"
    /// An expiration is present but empty.
    case emptyExpiration = "empty-expiration"
    /// A record without expiration, where one is required.
    case missingExpiration = "missing-expiration"
    /// The format records only when a loan began, and nobody said how long loans are.
    case missingLoanDays = "missing-loan-days"
    /// A second expiration in one record.
    case duplicateExpiration = "duplicate-expiration"
    /// An id that an earlier record has.
    case duplicateID = "duplicate-id"
    /// A record without title.
    case missingTitle = "missing-title"
    /// An expiration so far away that it is probably a mistake.
    case unlikelyDate = "unlikely-date"
    /// An expiration that is not directly inside a record.
    case misplacedExpiration = "misplaced-expiration"
    /// An element whose name differs from a known one only in case; it is ignored.
    case unknownCase = "unknown-case"
    /// An element or attribute that holds a date under another name than expiration, in a record
    /// without one.
    case unknownDateElement = "unknown-date-element"
    /// A column of a query from which no field is read; once in a document.
    case unknownColumn = "unknown-column"
    /// A loan that an earlier record has already, with the same barcode or alike in everything.
    case duplicateLoan = "duplicate-loan"
    /// An ISBN of the wrong length, or whose check digit is wrong.
    case invalidISBN = "invalid-isbn"
    /// An e-mail address that is not valid.
    case invalidEmail = "invalid-email"
    /// A loan date that does not have the form `yyyy.MM.dd`.
    case invalidLoanDate = "invalid-loan-date"
    /// An expiration before the loan date.
    case expirationBeforeLoan = "expiration-before-loan"
    /// An expiration further ahead than was allowed.
    case distantExpiration = "distant-expiration"
    /// All expirations are instants shortly after midnight, probably of the day before.
    case shiftedDays = "shifted-days"

    /// The code as it is written, `date-format`.
    public var description: String { rawValue }

    /// The severity of problems with the code, unless somebody decided otherwise.
    public var severity: Severity {
      switch self {
      case .malformedXML, .externalEntity, .declaredText, .unsupportedEncoding, .noLoans,
        .notACatalogue, .errorAnswer, .unknownBorrower, .incompleteAnswer, .missingLoanDays,
        .dateFormat, .impossibleDate, .emptyExpiration, .missingExpiration, .duplicateExpiration,
        .duplicateID:
        .error
      case .missingTitle, .unlikelyDate, .misplacedExpiration, .unknownCase, .duplicateLoan,
        .invalidISBN, .invalidEmail, .invalidLoanDate, .expirationBeforeLoan, .distantExpiration,
        .noExpirations, .unknownDateElement, .shiftedDays,
        .unknownColumn:
        .warning
      }
    }

    /// Whether nothing after a problem of this kind is read.
    public var endsReading: Bool {
      switch self {
      case .malformedXML, .externalEntity, .declaredText, .unsupportedEncoding, .notACatalogue,
        .errorAnswer, .unknownBorrower:
        true
      default: false
      }
    }

    /// Whether problems of this kind belong to one book, and not to the whole catalogue.
    public var isAboutABook: Bool {
      switch self {
      case .noLoans, .noExpirations, .incompleteAnswer, .missingLoanDays, .shiftedDays,
        .unknownColumn:
        false
      default: !endsReading
      }
    }
  }

  /// The kind of problem.
  public var code: Code
  /// The position of the value or record at fault.
  public var location: SourceLocation
  /// The column after the last character of ``value``, where the value is on one line.
  public var endColumn: Int?
  /// One lower-case sentence: what was expected and what was found; harmless on a terminal.
  public var message: String
  /// The text at fault, as written, but for what is beyond 4,096 bytes of it; untrusted.
  public var value: String?
  /// The id or title of the record concerned, as written, but for what is beyond 4,096 bytes of it;
  /// untrusted.
  public var loan: String?
  /// The only possible meaning of ``value``, if there is one: a date of the form `yyyy.MM.dd`.
  public var replacement: String?
  /// The part of the file that ``replacement`` is for: the bytes from the `>` of the tag before the
  /// text to the end of the tag after it; `nil` unless a reader was asked for it and knows it.
  public var bytes: Range<Int>?
  /// The severity of its code, unless somebody decided otherwise.
  public var severity: Severity
  /// A hash of the code and of whose problem it is, and how many like it came before; 0 until a
  /// reader has made it.
  ///
  /// It stays the same as long as the book and its problem do, wherever in the catalogue they are; two
  /// problems of one catalogue have the same only by chance (1 in 2⁶⁴).
  public var fingerprint: UInt64 = 0

  /// The most bytes that a problem has of a catalogue's text.
  package static let longestText = 4_096

  /// A problem of this kind at `location`.
  public init(
    _ code: Code, at location: SourceLocation, endColumn: Int? = nil, message: String,
    value: String? = nil, loan: String? = nil, replacement: String? = nil
  ) {
    self.code = code
    self.location = location
    self.endColumn = endColumn
    self.message = message
    self.value = value?.cut(to: Self.longestText)
    self.loan = loan?.cut(to: Self.longestText)
    self.replacement = replacement
    severity = code.severity
  }
}

extension String {
  /// The text, or as many of its characters as have together at most `limit` bytes.
  package func cut(to limit: Int) -> String {
    guard utf8.count > limit else { return self }
    let end = utf8.index(startIndex, offsetBy: limit)
    return String(unicodeScalars[..<end])
  }
}

/// A problem that a rule has detected in a value, before the value's location is known.
public struct Finding: Hashable, Sendable {
  /// What kind of problem it is.
  public var code: Diagnostic.Code
  /// One lower-case sentence: what was expected and what was found; harmless on a terminal.
  public var message: String

  /// A problem of this kind.
  public init(_ code: Diagnostic.Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
