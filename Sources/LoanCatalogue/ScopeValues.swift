import Loans

/// The values found so far inside one element, in the order of the document.
struct ScopeValues {
  /// A value, its white space trimmed and folded.
  struct Value {
    /// To which of the profile's paths it belongs.
    var slot: Int
    fileprivate var range: Range<Int>
    /// Where the element of the value begins.
    var start: SourceLocation
    /// Where the value stands, unless it is empty.
    var extent: ValueExtent?
  }

  private var bytes: [UInt8] = []
  private(set) var values: [Value] = []

  mutating func removeAll() {
    guard !bytes.isEmpty || !values.isEmpty else { return }
    bytes.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
  }

  mutating func append(
    _ text: some Sequence<UInt8>, to slot: Int, start: SourceLocation, extent: ValueExtent?
  ) {
    let first = bytes.count
    bytes.append(contentsOf: text)
    let end = bytes.foldWhiteSpace(from: first)
    bytes.removeSubrange(end...)
    values.append(Value(slot: slot, range: first..<end, start: start, extent: extent))
  }

  func text(of value: Value) -> ArraySlice<UInt8> { bytes[value.range] }

  /// The values of a slot, in order.
  func all(of slot: Int) -> some Sequence<Value> { values.lazy.filter { $0.slot == slot } }

  /// The first value of a slot that is not empty.
  func first(of slot: Int) -> Value? {
    values.first { $0.slot == slot && !$0.range.isEmpty }
  }

  /// Takes back what was found since there were so many values.
  mutating func removeValues(since count: Int, of slots: Set<Int>) {
    let kept = values[count...].filter { !slots.contains($0.slot) }
    values.replaceSubrange(count..., with: kept)
    bytes.removeSubrange((values.last?.range.upperBound ?? 0)...)
  }
}
