import CLibXML2

/// The roles of the element names met so far.
///
/// libxml2 interns names in its dictionary, so that one name is one pointer, and a known one is
/// found by comparing pointers: at the place that the pointer itself gives, else in the list of
/// all.
@safe struct NameTable: ~Copyable {
  private typealias Entry = (name: UnsafePointer<xmlChar>?, roles: NameRoles)
  private let profile: CatalogueProfile
  private var attributes: [(name: UnsafePointer<xmlChar>, field: LoanField)] = unsafe []
  private let places: UnsafeMutablePointer<Entry>
  private var entries: [Entry] = unsafe []
  /// More names than a catalogue has; beyond, a name's roles are worked out each time.
  private static let capacity = 64

  /// The attribute that holds the id.
  let idAttribute: String
  /// Whether a name has been looked up since this was set to false that is not in the list.
  var hasMissed = false
  /// Whether a name with characters outside ASCII has been met.
  private(set) var hasLongCharacters = false

  init(profile: CatalogueProfile) {
    self.profile = profile
    idAttribute = profile.attributes.first { $0.field == .id }?.name ?? ""
    unsafe places = .allocate(capacity: 256)
    unsafe places.initialize(repeating: (nil, .none), count: 256)
  }

  deinit {
    unsafe places.deinitialize(count: 256)
    unsafe places.deallocate()
  }

  /// Interns the names of the profile's attributes.
  ///
  /// - SeeAlso: `xmlDictLookup`.
  @unsafe mutating func intern(in context: xmlParserCtxtPtr) {
    for attribute in profile.attributes {
      guard let interned = unsafe check_loans_intern(context, attribute.name) else { continue }
      unsafe attributes.append((interned, attribute.field))
    }
  }

  @inline(__always)
  @unsafe mutating func roles(of name: UnsafePointer<xmlChar>) -> NameRoles {
    let place = Int((UInt(bitPattern: name) &* 0x9E37_79B9_7F4A_7C15) >> 56)
    if unsafe places[place].name == name { return unsafe places[place].roles }
    return unsafe lookUp(name, place)
  }

  @unsafe private mutating func lookUp(
    _ name: UnsafePointer<xmlChar>, _ place: Int
  ) -> NameRoles {
    for index in unsafe entries.indices where unsafe entries[index].name == name {
      return unsafe entries[index].roles
    }
    unsafe noteCharacters(of: name)
    let entry = unsafe (name, NameRoles(of: String(cString: name), in: profile))
    if unsafe entries.count < Self.capacity {
      unsafe entries.append(entry)
      if unsafe places[place].name == nil { unsafe places[place] = entry }
    }
    return unsafe entry.1
  }

  @unsafe mutating func noteCharacters(of name: UnsafePointer<xmlChar>) {
    hasMissed = true
    if unsafe continuationBytes(in: name) > 0 { hasLongCharacters = true }
  }

  @unsafe func attributeField(of name: UnsafePointer<xmlChar>) -> LoanField? {
    unsafe attributes.first { unsafe $0.name == name }?.field
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
