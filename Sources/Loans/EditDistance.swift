extension String {
  /// The least number of characters to insert, delete, replace or swap with the next one that make
  /// this text the other one (optimal string alignment distance).
  package func editDistance(to other: String) -> Int {
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
