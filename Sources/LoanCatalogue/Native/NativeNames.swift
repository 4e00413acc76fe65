import CLibXML2
import Loans

/// The meaning of an element's name in the tool's own form.
enum NativeElement: Equatable {
  case book
  case field(LoanField)
  /// A book but for its name's case.
  case misspeltBook
  /// A field but for its name's case.
  case misspelt(LoanField)
  /// A name that people may have written for an expiration.
  case dateName
  /// An expiration but for its namespace.
  case foreignExpiration
  case unknown
}

/// The names of a document's elements, as far as they have been met.
///
/// libxml2 interns names in its dictionary, so that one name is one pointer, and a known one is
/// found by comparing pointers.
@safe struct NativeNames {
  private typealias Entry = (
    name: UnsafePointer<xmlChar>, prefix: UnsafePointer<xmlChar>?,
    namespace: UnsafePointer<xmlChar>?, element: NativeElement
  )
  private var entries: [Entry] = unsafe []
  /// More names than a usual document has; beyond, a name's meaning is worked out each time.
  private static let capacity = 128
  /// The namespace and prefix of the root element, by which its like are known.
  private var root: (namespace: UnsafePointer<xmlChar>?, prefix: UnsafePointer<xmlChar>?)?
  /// Whether the root is `Books`, so that its fields may be written like that, too.
  private var isCapitalized = false
  /// Whether a name has been looked up since this was set to false that is not in the list.
  var hasMissed = false
  /// Whether a name with characters outside ASCII has been met.
  private(set) var hasLongCharacters = false

  /// Notes the root element's name.
  ///
  /// - Returns: whether it is one of the form.
  @unsafe mutating func noteRoot(
    _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?,
    _ namespace: UnsafePointer<xmlChar>?
  ) -> Bool {
    unsafe root = (namespace, prefix)
    unsafe noteCharacters(of: name, prefix)
    let text = unsafe String(cString: name)
    isCapitalized = text == "Books"
    return isCapitalized || text == "books"
  }

  /// Returns the meaning of an element's name.
  @inline(__always)
  @unsafe mutating func element(
    _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?,
    _ namespace: UnsafePointer<xmlChar>?
  ) -> NativeElement {
    for index in unsafe entries.indices
    where unsafe entries[index].name == name && entries[index].namespace == namespace
      && entries[index].prefix == prefix
    {
      return unsafe entries[index].element
    }
    return unsafe note(name, prefix, namespace)
  }

  /// Works out the meaning of a name that is new.
  @inline(never)
  @unsafe private mutating func note(
    _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?,
    _ namespace: UnsafePointer<xmlChar>?
  ) -> NativeElement {
    unsafe noteCharacters(of: name, prefix)
    // A prefix that is not declared has no namespace, and is its own.
    let isOwn =
      unsafe namespace == root?.namespace
      && (namespace != nil || prefix == nil || prefix == root?.prefix)
    let text = unsafe String(cString: name)
    let element =
      isOwn ? meaning(of: text) : text.lowercased() == "expiration" ? .foreignExpiration : .unknown
    if unsafe entries.count < Self.capacity {
      unsafe entries.append((name, prefix, namespace, element))
    }
    return element
  }

  private func meaning(of name: String) -> NativeElement {
    if name == "book" || name == "Book" { return .book }
    let lowercased = name.lowercased()
    if lowercased == "book" { return .misspeltBook }
    guard
      let field = LoanField.allCases.first(where: {
        "\($0)".lowercased() == lowercased && $0 != .id
      })
    else { return ExpirationName.isLikely(name) ? .dateName : .unknown }
    // Only the first letter may be a capital one.
    let isRight =
      name == "\(field)"
      || isCapitalized && name.dropFirst() == "\(field)".dropFirst()
    return isRight ? .field(field) : .misspelt(field)
  }

  @unsafe private mutating func noteCharacters(
    of name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?
  ) {
    hasMissed = true
    if unsafe surplusBytes(in: name, prefix) > 0 { hasLongCharacters = true }
  }
}

/// Bytes of a name and its prefix beyond one for each character.
@unsafe func surplusBytes(
  in name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?
) -> Int {
  let texts = unsafe [name, prefix].compactMap { unsafe $0 }
  return unsafe texts.reduce(0) { count, text in
    let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(xmlStrlen(text)))
    return unsafe count + bytes.count { $0 & 0xC0 == 0x80 }
  }
}
