import CatalogueProperties

/// Reads what libFuzzer has thought of as a catalogue, and stops the program where something is
/// not as it must be of every reading; libFuzzer then keeps the bytes.
///
/// - SeeAlso: https://llvm.org/docs/LibFuzzer.html#fuzz-target
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let faults = unsafe catalogue.faults(
    ofReading: Array(UnsafeBufferPointer(start: start, count: count)))
  guard faults.isEmpty else { fatalError(faults.joined(separator: "\n")) }
  return 0
}

private let catalogue = ReadingProperties()
