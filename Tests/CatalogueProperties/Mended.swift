import LoanCatalogue
import Loans

/// A catalogue as mending leaves it.
struct Mended {
  let bytes: [UInt8]
  private let original: [UInt8]
  private let reading: Reading
  private let mending: CatalogueMending

  /// Mends what the reading of a catalogue found, as `check-loans validate --fix` does.
  ///
  /// - Returns: nil if nothing is to be mended.
  init?(_ original: [UInt8], _ reading: Reading) {
    let mending = CatalogueMending(reading.mends, in: Self.pieces(original))
    let bytes = mending.mended(original, at: 0)
    guard !mending.edits.isEmpty,
      mending.isProven(Self.pieces(original), Self.pieces(bytes))
    else { return nil }
    (self.bytes, self.original, self.reading, self.mending) = (bytes, original, reading, mending)
  }

  /// - Returns: one sentence for each property that does not hold.
  func faults(inReading mended: Reading) -> [String] {
    let again = Mended(bytes, mended)
    let isWhole = mended.summary.isComplete == reading.summary.isComplete
    let isSame = isWhole && mended.summary.records == reading.summary.records
    let left = reading.mends.count - mending.edits.count
    return (again == nil ? [] : ["mending again changes something: \(reading)"])
      + (isSame ? [] : ["mending changed more than values: \(reading) and \(mended)"])
      + (mended.mends.count == left ? [] : ["\(left) were to be left: \(reading) and \(mended)"])
      + (inPieces == bytes ? [] : ["mending depends on the pieces: \(reading)"])
  }

  private var inPieces: [UInt8] {
    stride(from: 0, to: original.count, by: 7).flatMap { start in
      mending.mended(original[start..<min(start + 7, original.count)], at: start)
    }
  }

  private static func pieces(_ bytes: [UInt8]) -> () throws(Never) -> [UInt8] {
    var rest = bytes[...]
    return { () throws(Never) in
      defer { rest = rest.dropFirst(61) }
      return Array(rest.prefix(61))
    }
  }
}

extension Reading {
  /// What there is to mend in it.
  fileprivate var mends: [Mend] { diagnostics.compactMap(Mend.init) }
}
