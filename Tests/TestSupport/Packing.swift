import CZlib

/// Bytes packed as gzip(1) packs them.
public func gzip(_ bytes: [UInt8]) -> [UInt8] {
  var stream = unsafe z_stream()
  let size = unsafe Int32(MemoryLayout.size(ofValue: stream))
  unsafe deflateInit2_(
    &stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
  defer { unsafe deflateEnd(&stream) }
  var input = bytes
  let bound = unsafe Int(deflateBound(&stream, UInt(bytes.count)))
  return unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, count in
    unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
      unsafe (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
      unsafe deflate(&stream, Z_FINISH)
    }
    count = unsafe Int(stream.total_out)
  }
}

/// A ZIP archive of some files.
///
/// - Parameters:
///   - isPacked: whether they are packed.
///   - flags: of each file; 1 says that it is encrypted.
/// - SeeAlso: APPNOTE.TXT, 4.3.
public func zip(
  _ files: (name: String, bytes: [UInt8])..., isPacked: Bool = true, flags: Int = 0
) -> [UInt8] {
  var archive: [UInt8] = []
  var list: [UInt8] = []
  for (name, bytes) in files {
    let packed = gzip(bytes)
    let content = isPacked ? Array(packed[10..<packed.count - 8]) : bytes
    let common =
      number(20, 2) + number(flags, 2) + number(isPacked ? 8 : 0, 2) + number(0, 4)
      + packed[(packed.count - 8)..<packed.count - 4] + number(content.count, 4)
      + number(bytes.count, 4) + number(name.utf8.count, 2) + number(0, 2)
    list += "PK\u{1}\u{2}".utf8 + number(20, 2) + common + number(0, 10) + number(archive.count, 4)
    list += name.utf8
    archive += "PK\u{3}\u{4}".utf8 + common + name.utf8 + content
  }
  return archive + list + "PK\u{5}\u{6}".utf8 + number(0, 4) + number(files.count, 2)
    + number(files.count, 2) + number(list.count, 4) + number(archive.count, 4) + number(0, 2)
}

private func number(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 < 8 ? value >> ($0 * 8) : 0) }
}
