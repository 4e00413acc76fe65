/// What an element name can mean in a profile, depending on where the element stands.
struct NameRoles {
  var isRoot = false
  var isRecord = false
  var field: LoanField?
  /// Whether the name would be a record's if its case were right.
  var isMisspeltRecord = false
  /// Whether the name would be a field's if its case were right.
  var isMisspeltField = false

  /// Whether the name has no meaning anywhere but perhaps as the root's.
  var isMeaningless: Bool {
    field == nil && !isRecord && !isMisspeltRecord && !isMisspeltField
  }

  init(of name: String, in profile: CatalogueProfile) {
    isRoot = profile.roots.contains(name)
    isRecord = profile.records.contains(name)
    field = profile.elements.first { $0.name == name }?.field
    isMisspeltRecord = !isRecord && profile.intendedRecord(name) != nil
    isMisspeltField = field == nil && profile.intendedField(name) != nil
  }

  /// A name that means nothing.
  private init() {}
  static let none = NameRoles()
}

extension CatalogueProfile {
  /// The record name that differs from `name` at most in case.
  func intendedRecord(_ name: String) -> String? {
    let lowercased = name.lowercased()
    return records.first { $0.lowercased() == lowercased }
  }

  /// The field's element name that differs from `name` at most in case.
  func intendedField(_ name: String) -> String? {
    let lowercased = name.lowercased()
    return elements.first { $0.name.lowercased() == lowercased }?.name
  }
}
