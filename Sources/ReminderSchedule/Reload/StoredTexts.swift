package import Loans

/// The texts of a loan as one column of its row: a JSON array without the nulls at its
/// end.
///
///     ["bk101","Abigél","Szabó Magda","9789631193619",null,"Halmos Benedek","halmos@example.org"]
///
/// One value is bound and stored in place of fifteen; people and views take it apart with SQLite's
/// `json_extract`; no view shows the telephone number. After the texts come whether the loan can be renewed,
/// and the second of its last day at which it ends.
package struct StoredTexts {
  /// The fields in the order of the array, whose places never change.
  private static let fields: [LoanField] = [
    .id, .title, .author, .isbn, .barcode, .borrower, .email, .language, .category, .type, .library,
    .phone, .status, .renewable, .expiration,
  ]
  /// Those that are texts.
  private static let texts = Array(fields.dropLast(2))
  /// In place of a text that there is not.
  fileprivate static let null = Array("null,".utf8)

  /// Texts, and literals of JSON, in the order of the fields.
  private var values: [String?]

  /// The text of a field, `true` or `false`, or the number of a second; `nil` if there is none.
  subscript(field: LoanField) -> String? {
    guard let place = Self.fields.firstIndex(of: field), values.indices.contains(place) else {
      return nil
    }
    return values[place]
  }

  /// Whether two arrays with the same id are of the same book, by its ISBN, or else its title.
  static func areOfOneBook(_ first: String?, _ second: String?) -> Bool {
    if first == second { return true }
    guard let first = first.flatMap(Self.init), let second = second.flatMap(Self.init) else {
      return false
    }
    guard let isbn = first[.isbn], let other = second[.isbn] else {
      return first[.title] == second[.title]
    }
    return isbn == other
  }

  /// What a book is known by whatever its id.
  static let book: [LoanField] = [.title, .author, .isbn]

  /// The loan with this expiration.
  func loan(expiration: CivilDate) -> Loan {
    Loan(
      id: self[.id], title: self[.title], author: self[.author], isbn: self[.isbn],
      barcode: self[.barcode], borrower: self[.borrower], email: self[.email],
      language: self[.language], category: self[.category], type: self[.type],
      library: self[.library], renewable: self[.renewable].map { $0 == "true" },
      status: self[.status].flatMap(LoanStatus.init(rawValue:)), phone: self[.phone],
      expiration: expiration,
      expirationTime: self[.expiration].flatMap { Int($0) }.flatMap(CivilTime.init(secondOfDay:)))
  }

  /// An SQL expression for a field.
  ///
  /// - Parameter column: the column that holds the array.
  static func column(_ field: LoanField, of column: String = "fields") -> String {
    guard let place = fields.firstIndex(of: field) else {
      preconditionFailure("\(field) is not stored")
    }
    return "json_extract(\(column), '$[\(place)]')"
  }
}

// MARK: - Writing

extension StoredTexts {
  /// Appends the array of a loan's texts, in UTF-8; any thread may do it.
  package static func append(_ loan: some LoanParts, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "["))
    // How many values are written.
    var count = 0
    loan.forEachText(of: texts) { place, text in
      bytes.append(nulls: place - count)
      bytes.append(json: text, then: UInt8(ascii: ","))
      count = place + 1
    }
    func append(_ literal: String?, at place: Int) {
      guard let literal else { return }
      bytes.append(nulls: place - count)
      bytes += "\(literal),".utf8
      count = place + 1
    }
    append(loan.isRenewable.map { "\($0)" }, at: texts.count)
    append(loan.lastTime.map { "\($0.secondOfDay)" }, at: texts.count + 1)
    // In place of the comma after the last one.
    if bytes.last == UInt8(ascii: ",") { bytes.removeLast() }
    bytes.append(UInt8(ascii: "]"))
  }
}

extension [UInt8] {
  /// Appends a null of JSON some times, each with a comma.
  fileprivate mutating func append(nulls count: Int) {
    for _ in 0..<count { self += StoredTexts.null }
  }
}

// MARK: - Reading

extension StoredTexts {
  /// Reads an array; `nil` if the text is anything else.
  init?(_ text: String) {
    guard let values = Self.values(of: text) else { return nil }
    self.values = values
  }

  /// The strings and literals of an array, `nil` for null; `nil` if the text is anything else.
  static func values(of text: String) -> [String?]? {
    let bytes = Array(text.utf8)
    guard bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") else { return nil }
    var values: [String?] = []
    var index = 1
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\"") {
        index += 1
        guard let value = string(in: bytes, from: &index) else { return nil }
        values.append(value)
      } else {
        let start = index
        while bytes[index] != UInt8(ascii: ","), bytes[index] != UInt8(ascii: "]") { index += 1 }
        let literal = String(decoding: bytes[start..<index], as: UTF8.self)
        if literal != "" { values.append(literal == "null" ? nil : literal) }
      }
      index += 1
    }
    return values
  }

  /// Reads a string up to the quotation mark after it, and goes on after that.
  private static func string(in bytes: [UInt8], from index: inout Int) -> String? {
    let start = index
    // Set where there is an escape: most have none.
    var text: [UInt8]?
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\"") {
        guard let text else { return String(decoding: bytes[start..<index - 1], as: UTF8.self) }
        return String(decoding: text, as: UTF8.self)
      }
      guard byte == UInt8(ascii: "\\") else {
        text?.append(byte)
        continue
      }
      var unescaped = text ?? Array(bytes[start..<index - 1])
      guard index < bytes.count else { return nil }
      if bytes[index] == UInt8(ascii: "u") {
        let digits = String(decoding: bytes[(index + 1)...].prefix(4), as: UTF8.self)
        guard let code = UInt8(digits, radix: 16) else { return nil }
        unescaped.append(code)
        index += 4
      } else {
        unescaped.append(bytes[index])
      }
      index += 1
      text = unescaped
    }
    return nil
  }
}
