import CTOML

/// A value of a TOML document, and where it is.
struct TOMLNode: Sendable {
  /// What the value is.
  enum Value: Sendable {
    /// Keys with their values, in the order of the document.
    case table([(key: String, node: TOMLNode)])
    case array([TOMLNode])
    case string(String)
    /// A number in digits.
    case number(String, isInteger: Bool)
    case boolean(Bool)
    /// A date or a time, which TOML has without quotation marks; what it is in words.
    case moment(String)
  }

  let value: Value
  /// The line and column of its key, or of a value without one, from 1; columns count code points.
  let line: Int
  let column: Int

  /// A string, or a number as one.
  var text: String? {
    switch value {
    case .string(let text), .number(let text, _): text
    default: nil
    }
  }

  /// The keys and values of a table; `nil` for any other value.
  var table: [(key: String, node: TOMLNode)]? {
    if case .table(let entries) = value { entries } else { nil }
  }

  /// The elements of an array; `nil` for any other value.
  var elements: [TOMLNode]? { if case .array(let elements) = value { elements } else { nil } }

  /// The kind of value, with its article.
  var kind: String {
    switch value {
    case .table: "a table"
    case .array: "a list"
    case .string: "a string"
    case .number(_, let isInteger): isInteger ? "a whole number" : "a number with a point"
    case .boolean: "true or false"
    case .moment(let words): words
    }
  }
}

/// Why a document is not TOML, in the words of toml++, and where.
struct TOMLError: Error {
  let line: Int
  let column: Int
  let message: String
}

extension TOMLNode {
  /// Reads a document: a table.
  ///
  /// - Throws: ``TOMLError`` for what is wrong first.
  static func document(_ text: String) throws(TOMLError) -> TOMLNode {
    let reading = TOMLReading()
    var error = check_loans_toml_error()
    var text = text
    let isRead = text.withUTF8 { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
        unsafe check_loans_toml_read(
          characters.baseAddress, characters.count, Unmanaged.passUnretained(reading).toOpaque(),
          { context, item in
            guard let context = unsafe context, let item = unsafe item else { return }
            unsafe Unmanaged<TOMLReading>.fromOpaque(context).takeUnretainedValue()
              .take(item.pointee)
          }, &error)
      }
    }
    if isRead, let document = reading.document { return document }
    let words = unsafe withUnsafeBytes(of: &error.text) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    throw TOMLError(line: Int(error.line), column: Int(error.column), message: words)
  }
}

/// What has been read of a document.
private final class TOMLReading {
  /// A table or an array that has begun, with what is in it so far.
  private struct Frame {
    let key: String
    let isTable: Bool
    let line: Int
    let column: Int
    var entries: [(key: String, node: TOMLNode)] = []

    /// The whole, the keys of a table in the order of the document.
    var node: TOMLNode {
      let value: TOMLNode.Value =
        isTable
        ? .table(entries.sorted { ($0.node.line, $0.node.column) < ($1.node.line, $1.node.column) })
        : .array(entries.map(\.node))
      return TOMLNode(value: value, line: line, column: column)
    }
  }

  private(set) var document: TOMLNode?
  private var frames: [Frame] = []

  func take(_ item: check_loans_toml_item) {
    let key = unsafe text(item.key, item.key_length)
    let text = unsafe text(item.text, item.length)
    let (line, column) = unsafe (Int(item.line), Int(item.column))
    let value: TOMLNode.Value
    switch unsafe item.kind {
    case check_loans_toml_table, check_loans_toml_array:
      let isTable = unsafe item.kind == check_loans_toml_table
      return frames.append(Frame(key: key, isTable: isTable, line: line, column: column))
    case check_loans_toml_string: value = .string(text)
    case check_loans_toml_integer: value = .number(text, isInteger: true)
    case check_loans_toml_float: value = .number(text, isInteger: false)
    case check_loans_toml_boolean: value = .boolean(unsafe item.boolean)
    case check_loans_toml_date: value = .moment("a date without quotation marks")
    case check_loans_toml_time: value = .moment("a time without quotation marks")
    case check_loans_toml_date_time: value = .moment("a date and time without quotation marks")
    default:
      if let frame = frames.popLast() { add(frame.node, frame.key) }
      return
    }
    add(TOMLNode(value: value, line: line, column: column), key)
  }

  private func add(_ node: TOMLNode, _ key: String) {
    if let parent = frames.indices.last {
      frames[parent].entries.append((key, node))
    } else {
      document = node
    }
  }

  private func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    unsafe String(
      decoding: UnsafeRawBufferPointer(start: UnsafeRawPointer(start), count: count),
      as: UTF8.self)
  }
}
