import CLibXML2
import Loans

/// The meaning of an element's name in the tool's own form.
enum NativeElement: Equatable {
  case book
  case field(LoanField)
  /// A book but for its name's case.
  case misspeltBook
  /// Nearly `book`.
  case likeBook
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
  /// The addresses of what an element is named by.
  private struct Name: Equatable {
    let name, prefix, namespace: UInt

    @unsafe init(_ tag: StartTag) {
      unsafe name = UInt(bitPattern: tag.name)
      unsafe prefix = UInt(bitPattern: tag.prefix)
      unsafe namespace = UInt(bitPattern: tag.namespace)
    }
  }

  /// The names that were met first, more than a usual document has; of others the meaning is worked out
  /// each time.
  private var first: [(name: Name, element: NativeElement)] = []
  private static let capacity = 200
  /// The index of the name that was found last among these: the next one is often that after it.
  private var last = 0
  /// Whether an attribute's value may be an expiration, by the attribute's name.
  private var attributes: [UnsafePointer<xmlChar>: Bool] = unsafe [:]
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
  @unsafe mutating func noteRoot(_ tag: StartTag) -> Bool {
    unsafe root = (tag.namespace, tag.prefix)
    unsafe noteCharacters(of: tag)
    let text = unsafe String(cString: tag.name)
    isCapitalized = text == "Books"
    return isCapitalized || text == "books"
  }

  /// Returns the meaning of an element's name.
  @inline(__always)
  @unsafe mutating func element(_ tag: StartTag) -> NativeElement {
    let key = unsafe Name(tag)
    var index = last
    while index < first.count {
      if first[index].name == key {
        last = index
        return first[index].element
      }
      index &+= 1
    }
    return unsafe elementBefore(key, tag)
  }

  /// Looks up a name that is not among those after the one that was found last.
  @inline(never)
  @unsafe private mutating func elementBefore(_ key: Name, _ tag: StartTag) -> NativeElement {
    for index in first.indices.prefix(last) where first[index].name == key {
      last = index
      return first[index].element
    }
    let element = unsafe newElement(tag)
    if first.count < Self.capacity { first.append((key, element)) }
    return element
  }

  /// Whether an attribute probably holds an expiration, if its value is a date.
  @unsafe mutating func isDateName(_ name: UnsafePointer<xmlChar>) -> Bool {
    if let known = unsafe attributes[name] { return known }
    let isLikely = unsafe ExpirationName.isLikely(String(cString: name))
    unsafe attributes[name] = isLikely
    return isLikely
  }

  /// Works out the meaning of a name.
  @inline(never)
  @unsafe private mutating func newElement(_ tag: StartTag) -> NativeElement {
    unsafe noteCharacters(of: tag)
    // A prefix that is not declared has no namespace, and is its own.
    let isOwn =
      unsafe tag.namespace == root?.namespace
      && (tag.namespace != nil || tag.prefix == nil || tag.prefix == root?.prefix)
    let text = unsafe String(cString: tag.name)
    if isOwn { return meaning(of: text) }
    return text.lowercased() == "expiration" ? .foreignExpiration : .unknown
  }

  private func meaning(of name: String) -> NativeElement {
    if let field = Self.fields[name] { return .field(field) }
    if name == "book" || name == "Book" { return .book }
    let lowercased = name.lowercased()
    if lowercased == "book" { return .misspeltBook }
    guard let (right, field) = Self.fieldsInLowerCase[lowercased] else {
      if ExpirationName.isLikely(name) { return .dateName }
      return lowercased.utf8.count <= 8 && lowercased.editDistance(to: "book") == 1
        ? .likeBook : .unknown
    }
    // Only the first letter may be a capital one.
    let isRight = isCapitalized && name.dropFirst() == right.dropFirst()
    return isRight ? .field(field) : .misspelt(field)
  }

  /// The elements of a record by their names.
  private static let fields: [String: LoanField] = [
    "title": .title, "author": .author, "isbn": .isbn, "barcode": .barcode,
    "borrower": .borrower, "email": .email, "expiration": .expiration, "loaned": .loaned,
    "language": .language, "category": .category, "type": .type, "library": .library,
    "renewable": .renewable, "phone": .phone, "address": .address, "callNumber": .callNumber,
    "status": .status,
  ]
  private static let fieldsInLowerCase = Dictionary(
    uniqueKeysWithValues: fields.map { ($0.key.lowercased(), (name: $0.key, field: $0.value)) })

  @unsafe private mutating func noteCharacters(of tag: StartTag) {
    hasMissed = true
    if unsafe surplusBytes(in: tag.name, tag.prefix) > 0 { hasLongCharacters = true }
  }
}

/// Bytes of a name and its prefix beyond one for each character.
@unsafe func surplusBytes(
  in name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?
) -> Int {
  unsafe [name, prefix].reduce(0) { unsafe $0 + Int(xmlStrlen($1) - max(0, xmlUTF8Strlen($1))) }
}
