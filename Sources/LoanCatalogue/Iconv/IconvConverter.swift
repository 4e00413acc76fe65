import Glibc

/// A converter of the C library from one encoding to Unicode scalars.
///
/// - SeeAlso: `iconv_open(3)`, `iconv(3)`, `iconv_close(3)`.
@safe struct IconvConverter: ~Copyable {
  /// The most scalars that one call gives.
  static let capacity = 4

  /// Why a conversion came to its end.
  enum Ending {
    /// All bytes were taken.
    case whole
    /// The last bytes are the beginning of a character.
    case incomplete
    /// The next bytes are no character.
    case invalid
    /// There are as many scalars as were wanted.
    case full
  }

  /// How far a conversion came.
  struct Step {
    /// Bytes taken.
    var consumed: Int
    /// Scalars to be asked for with ``IconvConverter/scalar(_:)``.
    var produced: Int
    var ending: Ending
  }

  private let descriptor: iconv_t
  private let output: UnsafeMutableBufferPointer<UInt32>

  /// `nil` if the library does not know the encoding.
  init?(from encoding: String) {
    // The scalars as numbers of this machine, which takes no second step.
    guard let opened = unsafe Self.open(to: "WCHAR_T", from: encoding) else { return nil }
    unsafe descriptor = opened
    unsafe output = .allocate(capacity: Self.capacity)
    unsafe output.initialize(repeating: 0)
  }

  deinit {
    unsafe iconv_close(descriptor)
    unsafe output.deallocate()
  }

  @unsafe private static func open(to target: String, from source: String) -> iconv_t? {
    let opened = unsafe iconv_open(target, source)
    return unsafe opened == iconv_t(bitPattern: -1) ? nil : opened
  }

  /// Converts the beginning of `bytes`.
  ///
  /// - Parameter most: how many scalars are wanted, up to ``capacity``.
  mutating func convert(_ bytes: Span<UInt8>, most: Int = capacity) -> Step {
    unsafe bytes.withUnsafeBytes { input in
      var start = unsafe UnsafeMutablePointer(
        mutating: input.baseAddress?.assumingMemoryBound(to: CChar.self))
      var bytesLeft = input.count
      return unsafe run(&start, &bytesLeft, of: input.count, most)
    }
  }

  /// Takes what the converter has held back, after which it is as it was at first.
  ///
  /// - Returns: how many scalars there are.
  mutating func finish() -> Int {
    var bytesLeft = 0
    return unsafe run(nil, &bytesLeft, of: 0, Self.capacity).produced
  }

  @unsafe private mutating func run(
    _ start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ bytesLeft: inout Int,
    of count: Int, _ most: Int
  ) -> Step {
    var target = unsafe UnsafeMutableRawPointer(output.baseAddress)?
      .assumingMemoryBound(to: CChar.self)
    var room = most * 4
    let result = unsafe iconv(descriptor, start, &bytesLeft, &target, &room)
    let ending: Ending =
      if result != -1 { .whole } else {
        switch errno {
        case E2BIG: .full
        case EINVAL: .incomplete
        default: .invalid
        }
      }
    return Step(consumed: count - bytesLeft, produced: most - room / 4, ending: ending)
  }

  /// One of the scalars that the last call gave, from 0.
  func scalar(_ index: Int) -> Unicode.Scalar {
    precondition((0..<Self.capacity).contains(index), "no scalar \(index)")
    return unsafe Unicode.Scalar(output[index]) ?? "\u{FFFD}"
  }

  /// A text in an encoding, or `nil` if it cannot be written in it.
  static func encode(_ text: String, in encoding: String) -> [UInt8]? {
    recode(Array(text.utf8), from: "UTF-8", to: encoding)
  }

  /// Bytes of one encoding as those of another, or `nil` if they are not of it or cannot be.
  static func recode(_ bytes: [UInt8], from source: String, to target: String) -> [UInt8]? {
    guard let converter = unsafe open(to: target, from: source) else { return nil }
    defer { unsafe iconv_close(converter) }
    var bytes = bytes.map { CChar(bitPattern: $0) }
    var result = [CChar](repeating: 0, count: 64 + bytes.count * 8)
    var room = result.count
    let isWhole = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      unsafe result.withUnsafeMutableBufferPointer { result in
        var start = bytes.baseAddress
        var end = result.baseAddress
        var left = bytes.count
        // The second call goes back to the state that the text began in.
        return unsafe iconv(converter, &start, &left, &end, &room) == 0 && left == 0
          && iconv(converter, nil, nil, &end, &room) == 0
      }
    }
    return isWhole ? result.dropLast(room).map { UInt8(bitPattern: $0) } : nil
  }
}
