/// Reads what libFuzzer has thought of as a catalogue, and stops the program where a property of
/// every reading does not hold; libFuzzer then keeps the bytes.
///
/// - SeeAlso: https://llvm.org/docs/LibFuzzer.html#fuzz-target
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  MemoryFile.shared.fill(with: bytes)
  let faults = Properties.faults(ofReading: bytes, from: MemoryFile.shared.path)
  guard faults.isEmpty else { fatalError(faults.joined(separator: "\n")) }
  return 0
}
