import CLibXML2

/// The names of a profile, as the names of a document.
///
/// libxml2 interns names in its dictionary, so that one name is one pointer, and a known one is
/// found by comparing pointers: at the place that the pointer itself gives, else in the list of
/// all.
@safe struct NameTable: ~Copyable {
  private typealias Entry = (
    name: UnsafePointer<xmlChar>?, prefix: UnsafePointer<xmlChar>?,
    address: UnsafePointer<xmlChar>?, element: ElementName
  )
  private typealias Namespace = (
    address: UnsafePointer<xmlChar>?, prefix: UnsafePointer<xmlChar>?, vocabulary: Int
  )
  private let letters: [ProfileTree.Letter]
  private let attributeNames: [ProfilePath.Name]
  /// The profile's own namespaces.
  private let ownNamespaces: [String]
  /// The namespaces of its prefixes; a vocabulary's number is its place, from ``firstBound`` on.
  private let boundNamespaces: [String]
  /// As a list, since most runs are short and a dictionary's type costs time.
  private let prefixes: [(prefix: String, namespace: String)]
  /// Whether names that are right but for their case are looked for.
  private let heedsCase: Bool
  private var attributes: [(name: UnsafePointer<xmlChar>, number: Int, hasPrefix: Bool)] =
    unsafe []
  private let places: UnsafeMutablePointer<Entry>
  private var entries: [Entry] = unsafe []
  private var namespaces: [Namespace] = unsafe []
  /// More names than a document of any known form has; beyond, a name's meaning is worked out each
  /// time.
  private static let capacity = 128

  /// A vocabulary that the profile has nothing of.
  private static let foreign = 0
  /// That of the profile's names without prefix.
  private static let own = 1
  private static let firstBound = 2
  /// The namespace and prefix of the root element, by which its like are known.
  private var root: (address: UnsafePointer<xmlChar>?, prefix: UnsafePointer<xmlChar>?)?

  /// Whether a name has been looked up since this was set to false that is not in the list.
  var hasMissed = false
  /// Whether a name with characters outside ASCII has been met.
  private(set) var hasLongCharacters = false

  init(profile: CatalogueProfile, tree: ProfileTree) {
    letters = tree.letters
    boundNamespaces = tree.vocabularies
    attributeNames = tree.attributes
    ownNamespaces = profile.namespaces
    prefixes = profile.prefixes.map { ($0.key, $0.value) }
    heedsCase = profile.isNative
    unsafe places = .allocate(capacity: 256)
    unsafe places.initialize(repeating: (nil, nil, nil, .unknown), count: 256)
  }

  deinit {
    unsafe places.deinitialize(count: 256)
    unsafe places.deallocate()
  }

  /// Interns the names of the profile's attributes.
  ///
  /// - SeeAlso: `xmlDictLookup`.
  @unsafe mutating func intern(in context: xmlParserCtxtPtr) {
    for (number, name) in attributeNames.enumerated() {
      guard let interned = unsafe check_loans_intern(context, name.local) else { continue }
      unsafe attributes.append((interned, number, name.prefix != nil))
    }
  }

  /// What an element's name means, if that is known already.
  @inline(__always)
  @unsafe func knownElement(
    _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?,
    _ address: UnsafePointer<xmlChar>?
  ) -> ElementName? {
    let entry = unsafe places + place(of: name)
    guard unsafe entry.pointee.name == name, unsafe entry.pointee.address == address,
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
    _ address: UnsafePointer<xmlChar>?
  ) -> ElementName {
    let place = unsafe place(of: name)
    for index in unsafe entries.indices
    where unsafe entries[index].name == name && entries[index].address == address
      && entries[index].prefix == prefix
    {
      return unsafe entries[index].element
    }
    unsafe noteCharacters(of: name)
    let element = meaning(
      of: unsafe String(cString: name), unsafe vocabulary(of: address, prefix))
    if unsafe entries.count < Self.capacity {
      unsafe entries.append((name, prefix, address, element))
      if unsafe places[place].name == nil {
        unsafe places[place] = (name, prefix, address, element)
      }
    }
    return element
  }

  private func meaning(of local: String, _ vocabulary: Int) -> ElementName {
    guard vocabulary != Self.foreign else { return .unknown }
    let wanted =
      vocabulary == Self.own ? ProfileTree.ownVocabulary : vocabulary - Self.firstBound
    let number = letters.firstIndex { $0.vocabulary == wanted && $0.local == local }
    if let number { return ElementName(number: number) }
    guard heedsCase else { return .unknown }
    let lowercased = local.lowercased()
    // Of the spellings that are known the first one is Book, so the last one is meant.
    let intended = letters.lastIndex { $0.local.lowercased() == lowercased }
    return ElementName(intended: intended ?? 0)
  }

  /// Which of the profile's attributes the one at an index is.
  ///
  /// Names of attributes without prefix belong to their element; those with one to a namespace.
  @unsafe func attribute(
    _ tag: UnsafeBufferPointer<UnsafePointer<xmlChar>?>, at index: Int
  ) -> Int? {
    for place in unsafe attributes.indices where unsafe attributes[place].name == tag[index] {
      let (_, number, hasPrefix) = unsafe attributes[place]
      if unsafe tag[index + 1] == nil {
        if !hasPrefix { return number }
      } else if unsafe matches(attributeNames[number].prefix, tag[index + 2]) {
        return number
      }
    }
    return nil
  }

  @inline(never)
  @unsafe private func matches(_ wanted: String?, _ address: UnsafePointer<xmlChar>?) -> Bool {
    guard let address = unsafe address else { return false }
    let namespace = unsafe String(cString: address)
    guard let wanted else { return ownNamespaces.contains(namespace) }
    return self.namespace(of: wanted) == namespace
  }

  /// The namespace that a prefix has in the profile.
  private func namespace(of prefix: String) -> String? {
    prefixes.first { $0.prefix == prefix }?.namespace
  }

  @unsafe mutating func noteCharacters(of name: UnsafePointer<xmlChar>) {
    hasMissed = true
    if unsafe continuationBytes(in: name) > 0 { hasLongCharacters = true }
  }
}

// Namespaces.
extension NameTable {
  /// Which of the profile's names those of a namespace can be.
  @inline(never)
  @unsafe private mutating func vocabulary(
    of address: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?
  ) -> Int {
    for index in unsafe namespaces.indices
    where unsafe namespaces[index].address == address && namespaces[index].prefix == prefix {
      return unsafe namespaces[index].vocabulary
    }
    if let prefix = unsafe prefix { unsafe noteCharacters(of: prefix) }
    if unsafe root == nil { unsafe root = (address, prefix) }
    let vocabulary = unsafe workOutVocabulary(of: address, prefix)
    if unsafe namespaces.count < Self.capacity {
      unsafe namespaces.append((address, prefix, vocabulary))
    }
    return vocabulary
  }

  @unsafe private func workOutVocabulary(
    of address: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?
  ) -> Int {
    if let address = unsafe address {
      let namespace = unsafe String(cString: address)
      if let place = boundNamespaces.firstIndex(of: namespace) { return place + Self.firstBound }
      if ownNamespaces.contains(namespace) { return Self.own }
      return unsafe ownNamespaces.isEmpty && address == root?.address ? Self.own : Self.foreign
    }
    guard let prefix = unsafe prefix else {
      return unsafe !ownNamespaces.isEmpty || root?.address == nil ? Self.own : Self.foreign
    }
    // The prefix is not declared: it may still be what it is everywhere.
    let text = unsafe String(cString: prefix)
    if let place = namespace(of: text).flatMap({ boundNamespaces.firstIndex(of: $0) }) {
      return place + Self.firstBound
    }
    return unsafe root?.address == nil && root?.prefix == prefix ? Self.own : Self.foreign
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
