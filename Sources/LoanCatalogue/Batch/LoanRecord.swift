public import Loans

/// One record of a catalogue: a number in its batch.
///
/// Its texts become strings only when ``loan`` is asked for. Whoever keeps a record keeps its whole batch, so
/// for long it is better to keep its ``loan``.
public struct LoanRecord: Sendable {
  /// The expiration of a record.
  public enum Expiration: Hashable, Sendable {
    /// The record has none: the book is on the shelf.
    case none
    /// The loan expires at the end of this day.
    case date(CivilDate)
    /// There is something, but it is not a usable date; a diagnostic says why.
    case unusable
  }

  /// The batch that it is in.
  public let batch: RecordBatch
  /// Its number there, from 0 on.
  public let index: Int

  @inline(__always)
  var head: RecordHead { batch.contents.heads[index] }

  /// The expiration of the record.
  public var expiration: Expiration { head.expirationOfRecord }

  /// The place of the record's start tag.
  public var location: SourceLocation { head.place.location }

  /// The identity of the loan.
  public var identity: LoanIdentity {
    LoanIdentity(hash: head.key, ordinal: Int(head.ordinal))
  }

  private static let unkept: UInt32 = [LoanField.expiration, .loaned, .address, .callNumber]
    .reduce(0) { $0 | $1.bit }

  /// A 64-bit hash of every field that the schedule keeps but the dates, the same in every run.
  public var fingerprint: UInt64 {
    var sum: UInt64 = 0
    for text in batch.contents.textsOfRecord(index) {
      let field = batch.contents.texts[text].field
      if Self.unkept & field.bit != 0 { continue }
      // The order of a record's fields does not matter.
      sum &+= batch.contents.bytes.withSpan(batch.contents.bytes(ofText: text)) {
        ContentHash.of(field, $0)
      }
    }
    return head.second < 0 ? sum : ContentHash.of(sum, UInt64(head.second))
  }

  /// The loan, or `nil` if the record has no usable expiration.
  public var loan: Loan? {
    guard case .date(let date) = expiration else { return nil }
    return Loan(
      id: text(of: .id), title: text(of: .title), author: text(of: .author),
      isbn: text(of: .isbn), barcode: text(of: .barcode), borrower: text(of: .borrower),
      email: text(of: .email), language: text(of: .language), category: text(of: .category),
      type: text(of: .type), library: text(of: .library), renewable: isRenewable,
      status: status, phone: text(of: .phone), address: text(of: .address),
      callNumber: text(of: .callNumber), loaned: loanedOn, expiration: date,
      expirationTime: lastTime)
  }

  /// Whether the book is lent, as far as the catalogue says that.
  package var isLent: Bool {
    head.expiration != RecordHead.noDay || head.traits.contains(.isLent)
  }

  /// A field's text; `nil` if it is empty.
  package func text(of field: LoanField) -> String? {
    head.isEmpty(field) ? nil : batch.contents.text(range(of: field))
  }

  @inline(__always)
  private func range(of field: LoanField) -> Range<Int> {
    batch.contents.range(of: field, in: batch.contents.textsOfRecord(index))
  }
}

extension LoanRecord: LoanParts {
  /// The last day; `CivilDate.last` for a record without one.
  package var lastDay: CivilDate { CivilDate(dayNumber: Int(head.expiration)) ?? .last }

  package var lastTime: CivilTime? { CivilTime(secondOfDay: Int(head.second)) }

  package var loanedOn: CivilDate? { CivilDate(dayNumber: Int(head.loanedOn)) }

  package var status: LoanStatus? {
    var status: LoanStatus?
    withText(of: .status) { status = LoanStatus(words: $0) }
    return status
  }

  @inline(__always)
  package func withText(of field: LoanField, _ body: (Span<UInt8>) -> Void) {
    if !head.isEmpty(field) { batch.contents.bytes.withSpan(range(of: field), body) }
  }

  package func forEachText(of fields: [LoanField], _ body: (Int, Span<UInt8>) -> Void) {
    let (head, texts) = (head, batch.contents.textsOfRecord(index))
    for (place, field) in fields.enumerated() where !head.isEmpty(field) {
      batch.contents.bytes.withSpan(batch.contents.range(of: field, in: texts)) { body(place, $0) }
    }
  }
}

extension RecordHead {
  /// The day as people who use records know it.
  var expirationOfRecord: LoanRecord.Expiration {
    switch expiration {
    case Self.noDay: .none
    case Self.unusableDay: .unusable
    case let day: CivilDate(dayNumber: Int(day)).map { .date($0) } ?? .unusable
    }
  }
}

extension BatchContents {
  /// The numbers of a record's texts.
  @inline(__always)
  func textsOfRecord(_ index: Int) -> Range<Int> {
    let next = index + 1
    let end = next < heads.count ? Int(heads[next].firstText) : texts.count
    return Int(heads[index].firstText)..<end
  }
}
