import CLibXML2

/// What an element is in the tool's own form, as far as its name says.
enum NativeElement: Equatable {
  case book
  case field(LoanField)
  /// A book or a field but for its name's case; the right name.
  case misspelt(String)
  /// What people may have written for an expiration.
  case dateName
  /// An expiration but for its namespace.
  case foreignExpiration
  case unknown
}

/// The names of a document's elements, as far as they have been met.
///
/// libxml2 interns names in its dictionary, so that one name is one pointer, and a known one is
/// found by comparing pointers: at the place that the pointer itself gives, else in the list of
/// all.
@safe struct NativeNames: ~Copyable {
  private typealias Entry = (
    name: UnsafePointer<xmlChar>?, prefix: UnsafePointer<xmlChar>?,
    namespace: UnsafePointer<xmlChar>?, element: NativeElement
  )
  private let places: UnsafeMutablePointer<Entry>
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

  init() {
    unsafe places = .allocate(capacity: 256)
    unsafe places.initialize(repeating: (nil, nil, nil, .unknown), count: 256)
  }

  deinit {
    unsafe places.deinitialize(count: 256)
    unsafe places.deallocate()
  }

  /// Notes the root element's name.
  ///
  /// - Returns: whether it is one of the form.
  @unsafe mutating func noteRoot(
    _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?,
    _ namespace: UnsafePointer<xmlChar>?
  ) -> Bool {
    unsafe root = (namespace, prefix)
    unsafe noteCharacters(of: name)
    if let prefix = unsafe prefix { unsafe noteCharacters(of: prefix) }
    let text = unsafe String(cString: name)
    isCapitalized = text == "Books"
    return isCapitalized || text == "books"
  }

  /// What an element's name means, if that is known already.
  @inline(__always)
  @unsafe func knownElement(
    _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?,
    _ namespace: UnsafePointer<xmlChar>?
  ) -> NativeElement? {
    let entry = unsafe places + place(of: name)
    guard unsafe entry.pointee.name == name, unsafe entry.pointee.namespace == namespace,
      unsafe entry.pointee.prefix == prefix
    else { return nil }
    return unsafe entry.pointee.element
  }

  @inline(__always)
  @unsafe private func place(of name: UnsafePointer<xmlChar>) -> Int {
    Int(truncatingIfNeeded: (UInt(bitPattern: name) &* 0x9E37_79B9_7F4A_7C15) &>> 56)
  }

  /// What an element's name means.
  @inline(never)
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
    unsafe noteCharacters(of: name)
    if let prefix = unsafe prefix { unsafe noteCharacters(of: prefix) }
    // A prefix that is not declared has no namespace, and is its own.
    let isOwn =
      unsafe namespace == root?.namespace
      && (namespace != nil || prefix == nil || prefix == root?.prefix)
    let text = unsafe String(cString: name)
    let element =
      isOwn ? meaning(of: text) : text.lowercased() == "expiration" ? .foreignExpiration : .unknown
    if unsafe entries.count < Self.capacity {
      unsafe entries.append((name, prefix, namespace, element))
      let place = unsafe places + place(of: name)
      if unsafe place.pointee.name == nil {
        unsafe place.pointee = (name, prefix, namespace, element)
      }
    }
    return element
  }

  private func meaning(of name: String) -> NativeElement {
    if name == "book" || name == "Book" { return .book }
    let lowercased = name.lowercased()
    if lowercased == "book" { return .misspelt("book") }
    guard let field = LoanField.allCases.first(where: { $0.name == lowercased && $0 != .id })
    else { return ExpirationName.isLikely(name) ? .dateName : .unknown }
    let isRight = name == lowercased || isCapitalized && name.dropFirst() == lowercased.dropFirst()
    return isRight ? .field(field) : .misspelt(lowercased)
  }

  @unsafe private mutating func noteCharacters(of name: UnsafePointer<xmlChar>) {
    hasMissed = true
    if unsafe continuationBytes(in: name) > 0 { hasLongCharacters = true }
  }
}

/// Bytes of a name beyond one for each character.
@unsafe func continuationBytes(in name: UnsafePointer<xmlChar>) -> Int {
  var count = 0
  var index = 0
  while unsafe name[index] != 0 {
    if unsafe name[index] & 0xC0 == 0x80 { count += 1 }
    index += 1
  }
  return count
}
