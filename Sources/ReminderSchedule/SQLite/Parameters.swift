internal import CSQLite

/// The values of a statement's parameters, given in their order.
///
/// Texts are laid one after the other and bound in place, so that none needs an allocation of
/// its own, neither here nor in SQLite.
@safe struct Parameters {
  /// Where a parameter's text lies in `bytes`.
  private struct BoundText {
    var parameter: Int32
    var start: Int
    var length: Int
    var isBlob = false
  }

  private let handle: OpaquePointer
  private var bound: Int32 = 0
  /// Never empty, because SQLite takes a null pointer for NULL, not for an empty text.
  private var bytes: ContiguousArray<UInt8> = [0]
  private var texts: ContiguousArray<BoundText> = []

  /// The parameters of a statement that outlives them.
  @unsafe init(_ handle: OpaquePointer) {
    unsafe self.handle = handle
  }

  /// Gives the next parameter an integer (`sqlite3_bind_int64`).
  mutating func bind(_ value: Int64) {
    bound += 1
    unsafe sqlite3_bind_int64(handle, bound, value)
  }

  /// Gives the next parameter an integer (`sqlite3_bind_int64`).
  mutating func bind(_ value: Int) {
    bind(Int64(value))
  }

  /// Gives the next parameter an integer, or NULL (`sqlite3_bind_null`).
  mutating func bind(_ value: Int64?) {
    guard let value else {
      bound += 1
      unsafe sqlite3_bind_null(handle, bound)
      return
    }
    bind(value)
  }

  /// Gives the next parameter the same 64 bits (`sqlite3_bind_int64`).
  mutating func bind(_ value: UInt64) {
    bind(Int64(bitPattern: value))
  }

  /// Gives the next parameter a text, or NULL (`sqlite3_bind_null`).
  mutating func bind(_ text: String?) {
    bound += 1
    guard let text else {
      unsafe sqlite3_bind_null(handle, bound)
      return
    }
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    texts.append(BoundText(parameter: bound, start: start, length: bytes.count - start))
  }

  /// Gives the next parameter numbers of eight bytes each, the low ones first
  /// (`sqlite3_bind_blob`).
  mutating func bind(_ words: ArraySlice<UInt64>) {
    let start = bytes.count
    for word in words {
      unsafe withUnsafeBytes(of: word.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }
    addBlob(from: start)
  }

  /// Gives the next parameter bytes (`sqlite3_bind_blob`).
  mutating func bind(blob: some Collection<UInt8>) {
    let start = bytes.count
    bytes.append(contentsOf: blob)
    addBlob(from: start)
  }

  private mutating func addBlob(from start: Int) {
    bound += 1
    texts.append(
      BoundText(parameter: bound, start: start, length: bytes.count - start, isBlob: true))
  }

  /// Takes the values of a query's parameters, all integers.
  mutating func prepare(_ bind: (inout Parameters) -> Void) {
    bound = 0
    bind(&self)
    precondition(texts.isEmpty, "a text parameter in a query of several rows")
  }

  /// Takes the values and executes one step (`sqlite3_bind_text`, `sqlite3_step`).
  ///
  /// - Returns: SQLite's result code.
  mutating func step(_ bind: (inout Parameters) -> Void) -> Int32 {
    bound = 0
    bind(&self)
    let code = unsafe bytes.withUnsafeBufferPointer { unsafe step(texts: $0) }
    texts.removeAll(keepingCapacity: true)
    bytes.removeLast(bytes.count - 1)
    return code
  }

  private func step(texts buffer: UnsafeBufferPointer<UInt8>) -> Int32 {
    for text in texts {
      let start = unsafe UnsafeRawPointer(buffer.baseAddress)?.advanced(by: text.start)
      // Without a destructor SQLite makes no copy; the next step binds every parameter anew.
      if text.isBlob {
        unsafe sqlite3_bind_blob(handle, text.parameter, start, Int32(text.length), nil)
      } else {
        unsafe sqlite3_bind_text(
          handle, text.parameter, start?.assumingMemoryBound(to: CChar.self), Int32(text.length),
          nil)
      }
    }
    return unsafe sqlite3_step(handle)
  }
}
