@testable import LoanCatalogue
import Loans
import Testing

struct IdentityTableTests {
  /// Identities as catalogues have them.
  enum Order: CaseIterable {
    case padded, unpadded, words, everySecond, steps, long, backwards, shuffled

    func texts(_ count: Int) -> [String] {
      switch self {
      case .padded: (0..<count).map { "bk\(String(10_000_000 + $0).dropFirst())" }
      case .unpadded: (0..<count).map { "bk\($0)" }
      case .words: (0..<count).map { "bk\($0)" }.sorted()
      case .everySecond: (0..<count).map { "\(20_000_001 + 2 * $0)" }
      case .steps: (0..<count).map { "\(1_000_000 + $0 * $0 % 11 + 13 * $0)" }
      case .long: (0..<count).map { String(repeating: "x", count: $0 % 140) + "\($0 + 1_000)" }
      case .backwards: (0..<count).map { "bk\($0)" }.reversed()
      case .shuffled: (0..<count).map { "bk\($0 &* 7_907 % count)" }
      }
    }
  }

  private func note(
    _ text: String, line: Int, in table: inout IdentityTable
  ) -> (firstLine: Int, ordinal: Int)? {
    table.note(ContentHash.of(.id, text.utf8.span), line: line)
  }

  @Test(arguments: Order.allCases)
  func `No identity is taken for another, and each is found again at its line`(order: Order) {
    let texts = order.texts(7_919)
    var table = IdentityTable()
    var lines: [Int] = []
    for (number, text) in texts.enumerated() {
      lines.append((lines.last ?? 0) + (number % 97 == 0 ? 1_000 : number % 9))
      #expect(note(text, line: lines[number], in: &table) == nil)
    }
    for (number, text) in texts.enumerated() {
      let found = note(text, line: 1_000_000, in: &table)
      #expect(found?.firstLine == lines[number], "\(text)")
      #expect(found?.ordinal == 2, "\(text)")
    }
  }

  @Test func `Identities that were chosen to get in each other's way take no longer`() {
    let clock = ContinuousClock()
    func time(_ key: (UInt64) -> UInt64) -> Duration {
      var table = IdentityTable()
      var known = 0
      let time = clock.measure {
        let keys = (0..<20_000 as Range<UInt64>).map(key)
        for key in keys where table.note(key, line: 1) != nil { known += 1 }
      }
      #expect(known == 0)
      return time
    }
    let spread = time { $0 &* 0x9E37_79B9_7F4A_7C15 }
    let chosen = time { $0 | 0xABCD << 48 }
    #expect(chosen < spread * 20)
  }

  @Test func `A repetition in the middle is found whatever the order was before`() {
    for order in Order.allCases {
      let texts = order.texts(500)
      for place in [1, 2, 250, 499] {
        var table = IdentityTable()
        for (line, text) in texts[...place].enumerated() {
          #expect(note(text, line: line, in: &table) == nil)
        }
        for repeated in [place, place - 1, 0] {
          #expect(note(texts[repeated], line: 10_000, in: &table)?.firstLine == repeated)
        }
      }
    }
  }
}
