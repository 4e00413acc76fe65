import CLibXML2

/// The roles of the element names met so far.
///
/// libxml2 interns names in its dictionary, so that one name is one pointer, and a known one is
/// found by comparing pointers.
@safe struct NameTable {
  private var profile = CatalogueProfile.native
  private var elements: [(name: UnsafePointer<xmlChar>, roles: NameRoles)] = unsafe []
  private var attributes: [(name: UnsafePointer<xmlChar>, field: LoanField)] = unsafe []
  /// More names than a catalogue has; beyond, a name's roles are worked out each time.
  private static let capacity = 64

  /// The attribute that holds the id.
  var idAttribute: String { profile.attributes[.id] ?? "" }

  /// Interns the profile's names, fields first since they are the most frequent.
  ///
  /// - SeeAlso: `xmlDictLookup`.
  @unsafe mutating func fill(from profile: CatalogueProfile, _ context: xmlParserCtxtPtr) {
    self.profile = profile
    let fields = LoanField.allCases.compactMap { profile.elements[$0] }
    for name in fields + profile.records + profile.roots {
      guard let interned = unsafe check_loans_intern(context, name) else { continue }
      unsafe elements.append((interned, NameRoles(of: name, in: profile)))
    }
    for (field, name) in profile.attributes {
      guard let interned = unsafe check_loans_intern(context, name) else { continue }
      unsafe attributes.append((interned, field))
    }
  }

  @unsafe mutating func roles(of name: UnsafePointer<xmlChar>) -> NameRoles {
    for index in unsafe elements.indices where unsafe elements[index].name == name {
      return unsafe elements[index].roles
    }
    let roles = unsafe NameRoles(of: String(cString: name), in: profile)
    if unsafe elements.count < Self.capacity { unsafe elements.append((name, roles)) }
    return roles
  }

  @unsafe func attributeField(of name: UnsafePointer<xmlChar>) -> LoanField? {
    unsafe attributes.first { unsafe $0.name == name }?.field
  }
}
