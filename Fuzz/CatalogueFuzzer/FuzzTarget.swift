import CatalogueProperties

/// Reads what libFuzzer has thought of as a catalogue, or as a profile with a catalogue after it,
/// and stops the program where something is not as it must be of every reading; libFuzzer then
/// keeps the bytes.
///
/// - SeeAlso: https://llvm.org/docs/LibFuzzer.html#fuzz-target
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  let faults = catalogue.faults(ofReading: bytes) + catalogue.faults(ofReadingByProfile: bytes)
  guard faults.isEmpty else { fatalError(faults.joined(separator: "\n")) }
  return 0
}

private let catalogue = ReadingProperties()
