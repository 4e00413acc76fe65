public import Loans

/// A part of a catalogue's line, to be shown with a mark below it.
public struct SourceExcerpt: Hashable, Sendable {
  /// The characters as they are, without the line's end; untrusted.
  public var text: String
  /// The column of the first character.
  public var firstColumn: Int
  /// Whether the line has more before.
  public var isCutBefore: Bool { firstColumn > 1 }
  /// Whether the line has more behind.
  public var isCutAfter: Bool
}

/// The lines of a catalogue in its own encoding, from the first on and never back, in memory that
/// grows neither with the file nor with its lines.
public struct SourceLines: ~Copyable {
  private var text: SourceText
  private var line = 0
  private var isLineEnded = false
  /// Characters of the line that were read last.
  private var scalars: [Unicode.Scalar] = []
  private var firstColumn = 1

  /// The lines of a file; `nil` for what cannot be read, or not once more: standard input.
  public init?(path: String) {
    guard path != "-" else { return nil }
    do {
      text = SourceText(try CatalogueFile(opening: path))
    } catch {
      return nil
    }
  }

  /// What stands around a place.
  ///
  /// - Parameters:
  ///   - place: in the line asked for last, or behind it; lines end with LF or CRLF, and a byte
  ///     order mark belongs to none.
  ///   - width: the most characters wanted, half of them before the place.
  /// - Returns: `nil` if there is no such line, or it is behind already.
  public mutating func excerpt(around place: SourceLocation, width: Int = 160) -> SourceExcerpt? {
    if place.line > line { begin(place.line) }
    guard place.line == line else { return nil }
    let first = max(1, place.column - width / 2)
    read(to: first + width, keeping: width)
    guard first >= firstColumn, first - firstColumn <= scalars.count else { return nil }
    let part = scalars[(first - firstColumn)...].prefix(width)
    var text = String.UnicodeScalarView()
    text.append(contentsOf: part)
    return SourceExcerpt(
      text: String(text), firstColumn: first, isCutAfter: part.endIndex < scalars.endIndex)
  }

  private mutating func begin(_ line: Int) {
    text.move(toLine: line)
    guard text.place == SourceLocation(line: line, column: 1) else { return }
    self.line = line
    isLineEnded = false
    scalars.removeAll(keepingCapacity: true)
    firstColumn = 1
  }

  /// Reads on until the character at `column` is known, if the line is so long.
  private mutating func read(to column: Int, keeping width: Int) {
    while !isLineEnded && firstColumn + scalars.count <= column {
      let next = text.next()
      if let next, next != "\n" {
        scalars.append(next)
        if scalars.count > 8 * width + 1_024 { dropFirst(scalars.count - 2 * width) }
      } else {
        isLineEnded = true
        if scalars.last == "\r" { scalars.removeLast() }
      }
    }
  }

  private mutating func dropFirst(_ count: Int) {
    scalars.removeFirst(count)
    firstColumn += count
  }
}
