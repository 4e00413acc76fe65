import CatalogueProperties
import LoanCatalogue
import Loans
import Testing

struct PieceTests {
  @Test func `What a catalogue says does not depend on how many bytes come at a time`() async {
    await #expect(processExitsWith: .success) {
      let names = try fixturesThatDiffer(inPiecesOf: [7, 997])
      #expect(names == [])
    }
  }
}

/// The fixtures that are read otherwise from standard input, in pieces of one of these sizes,
/// than from their file; but for those whose fault is placed where libxml2 happens to stand.
private func fixturesThatDiffer(inPiecesOf sizes: [Int]) throws -> [String] {
  var names: [String] = []
  for fixture in Fixture.valid + Fixture.invalid
  where fixture.expected?.contains(where: { $0.hasPrefix("?") }) != true {
    let bytes = try #require(Files.bytes(of: fixture.path))
    let whole = try fixture.reader().reading(of: fixture.path)
    for size in sizes where bytes.count < 200_000 {
      StandardInput.give(bytes, inPiecesOf: size)
      if try fixture.reader().reading(of: "-") != whole {
        names.append("\(fixture.name) in pieces of \(size)")
      }
    }
  }
  return names
}
