import Loans

extension String {
  /// The one of some names that was probably meant, or `nil` if none is close.
  func nearest(among names: some Sequence<String>) -> String? {
    let text = lowercased()
    // No name is so long, and comparing costs the product of the lengths.
    guard text.unicodeScalars.count <= 64 else { return nil }
    var best: (name: String, distance: Int)?
    for name in names {
      let distance = text.editDistance(to: name.lowercased())
      let isClose = distance <= Swift.max(1, Swift.max(text.count, name.count) / 3)
      let isPart = text.count >= 4 && name.lowercased().contains(text)
      guard isClose || isPart, distance < best?.distance ?? .max else { continue }
      best = (name, distance)
    }
    return best?.name
  }
}
