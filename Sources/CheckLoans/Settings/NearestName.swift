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

  /// How many characters must be put in, left out, replaced or swapped with the next to get the
  /// other text (optimal string alignment).
  func editDistance(to other: String) -> Int {
    let (left, right) = (Array(unicodeScalars), Array(other.unicodeScalars))
    var rows = [Array(0...right.count)]
    for (row, scalar) in left.enumerated() {
      var next = [row + 1]
      for (column, candidate) in right.enumerated() {
        var distance = Swift.min(
          rows[row][column] + (scalar == candidate ? 0 : 1), rows[row][column + 1] + 1,
          next[column] + 1)
        if row > 0, column > 0, scalar == right[column - 1], left[row - 1] == candidate {
          distance = Swift.min(distance, rows[row - 1][column - 1] + 1)
        }
        next.append(distance)
      }
      rows.append(next)
    }
    return rows[left.count][right.count]
  }
}
