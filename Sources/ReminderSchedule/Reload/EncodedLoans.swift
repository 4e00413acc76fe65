package import Loans

/// What is stored of some loans besides their dates: their texts, and to whom they are lent.
///
/// It is made of loans alone, so that whoever reads a catalogue can do so on many threads.
package final class EncodedLoans: Sendable {
  /// Arrays of JSON, one after the other.
  private let texts: [UInt8]
  /// Where the array of each loan ends.
  private let ends: [Int]
  private let persons: [Int64]

  /// Encodes loans.
  ///
  /// - Parameters:
  ///   - count: how many there are.
  ///   - loan: the loan with a number; `nil` for one that is not stored.
  package init(_ count: Int, _ loan: (Int) -> (some LoanParts)?) {
    var (texts, ends, persons): ([UInt8], [Int], [Int64]) = ([], [], [])
    texts.reserveCapacity(count * 160)
    ends.reserveCapacity(count)
    persons.reserveCapacity(count)
    for number in 0..<count {
      var person = Person.nobody
      if let loan = loan(number) {
        StoredTexts.append(loan, to: &texts)
        person = Person.number(of: loan)
      }
      ends.append(texts.count)
      persons.append(person)
    }
    (self.texts, self.ends, self.persons) = (texts, ends, persons)
  }

  /// See ``Person/number(of:)``.
  func person(of number: Int) -> Int64 { persons[number] }

  /// Appends the array of a loan's texts, in UTF-8.
  func appendTexts(of number: Int, to bytes: inout [UInt8]) {
    let start = number == 0 ? 0 : ends[number - 1]
    let texts = texts
    bytes.append(copying: texts.span.extracting(start..<ends[number]))
  }
}
