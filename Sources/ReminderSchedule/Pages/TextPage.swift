internal import Loans

/// The texts of some loans whose numbers follow each other, as many as fit into 4,096 bytes, or one.
///
/// The first eight bytes repeat the page's number, the low ones first. Of each loan follow how far
/// its number is from that of the one before, how many bytes there are of it, both as
/// ``Loans/PackedLoan`` writes numbers, and these.
struct TextPage {
  let number: PageNumber
  private let bytes: [UInt8]
  private var places: ContiguousArray<(loan: Int64, range: Range<Int>)> = []

  /// So many bytes at most, unless it is of one loan, and a page and its place in SQLite's file are
  /// one.
  static var capacity: Int { 4_050 }

  /// - Throws: `DatabaseError` `corrupt` if it is not what a ``Draft`` makes.
  init(_ number: PageNumber, _ bytes: [UInt8]) throws {
    self.number = number
    self.bytes = bytes
    var rest = bytes[...]
    guard rest.count > 8, rest.takeWord() == UInt64(bitPattern: number.rawValue) else {
      throw Self.damage
    }
    var loan = number.first
    while !rest.isEmpty {
      guard let step = rest.takePacked(), let count = rest.takePacked(), count <= rest.count,
        (step == 0) == places.isEmpty
      else { throw Self.damage }
      loan += Int64(step)
      places.append((loan, rest.startIndex..<rest.startIndex + count))
      rest.removeFirst(count)
    }
  }

  private static var damage: DatabaseError { Schema.damage("a page of texts") }

  /// The number of the last loan.
  var last: Int64 { places.last?.loan ?? number.first }

  /// What the page has of a loan.
  subscript(_ loan: Int64) -> ArraySlice<UInt8>? {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle].loan < loan { low = middle + 1 } else { high = middle }
    }
    guard low < places.count, places[low].loan == loan else { return nil }
    return bytes[places[low].range]
  }

  /// A page that is being made.
  struct Draft {
    let number: PageNumber
    private(set) var bytes: [UInt8] = []
    private var last: Int64

    /// A page that begins with a loan.
    init(_ number: PageNumber, _ texts: ArraySlice<UInt8>) {
      self.number = number
      last = number.first
      bytes.reserveCapacity(TextPage.capacity)
      bytes.append(word: UInt64(bitPattern: number.rawValue))
      append(texts, of: number.first)
    }

    /// Whether another loan's texts still fit.
    func hasRoom(for texts: ArraySlice<UInt8>, of loan: Int64) -> Bool {
      bytes.count + texts.count + 10 <= TextPage.capacity
        && loan - number.first <= LoanPage.longestReach
    }

    mutating func append(_ texts: ArraySlice<UInt8>, of loan: Int64) {
      bytes.append(packed: Int(loan - last))
      bytes.append(packed: texts.count)
      bytes.append(contentsOf: texts)
      last = loan
    }
  }
}

extension [UInt8] {
  /// Appends eight bytes, the low ones first.
  fileprivate mutating func append(word: UInt64) {
    for shift in stride(from: 0 as UInt64, to: 64, by: 8) {
      append(UInt8(truncatingIfNeeded: word >> shift))
    }
  }
}

extension ArraySlice<UInt8> {
  /// Takes eight bytes from the beginning, the low ones first, of which there are enough.
  fileprivate mutating func takeWord() -> UInt64 {
    defer { removeFirst(8) }
    return prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
