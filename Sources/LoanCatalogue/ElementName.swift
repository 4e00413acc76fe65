/// What an element's name is to a profile.
struct ElementName {
  /// Its number in the profile's tree; 0 for a name that the profile does not have.
  var number = 0
  /// The number that it would have if its case were right; 0 for none.
  var intended = 0

  /// Whether the profile knows nothing like it.
  var isUnknown: Bool { number | intended == 0 }

  /// A name that means nothing.
  static let unknown = ElementName()
}
