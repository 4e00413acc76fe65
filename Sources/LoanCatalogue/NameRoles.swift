/// What an element name can mean in a profile, depending on where the element stands.
struct NameRoles: Equatable {
  var isRoot = false
  var isRecord = false
  var field: LoanField?
  /// The known name that this one would be if its case were right.
  var intendedRecord: String?
  /// The known field name that this one would be if its case were right.
  var intendedField: String?

  init(of name: String, in profile: CatalogueProfile) {
    isRoot = profile.roots.contains(name)
    isRecord = profile.records.contains(name)
    field = profile.elements.first { $0.value == name }?.key
    let lowercased = name.lowercased()
    if !isRecord {
      intendedRecord = profile.records.first { $0.lowercased() == lowercased }
    }
    if field == nil {
      intendedField = profile.elements.values.first { $0.lowercased() == lowercased }
    }
  }

  /// A name that means nothing.
  private init() {}
  static let none = NameRoles()
}
