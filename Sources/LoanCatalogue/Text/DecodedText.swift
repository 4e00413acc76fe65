import Loans

/// A character and the bytes that it is written with.
struct DecodedScalar: Equatable {
  var scalar: Unicode.Scalar
  /// Empty for all but the first of several scalars that are written together.
  var bytes: Range<Int>
}

/// The characters of a catalogue one after the other, each with its bytes, in any encoding.
///
/// What cannot be decoded is U+FFFD, one byte at a time; the reader has stopped there.
struct DecodedText<Source: ByteSource & ~Copyable>: ~Copyable {
  private var window: ByteWindow<Source>
  private var converter: IconvConverter?
  private let singles: SingleBytes?
  /// Scalars that were written together with the one before.
  private var companions: [DecodedScalar] = []
  /// The encoding; UTF-8 for one whose name nobody knows.
  let encoding: CatalogueEncoding
  /// Where the next character stands; lines end with LF.
  private(set) var place = SourceLocation(line: 1, column: 1)
  /// The character before, if there is one.
  private(set) var previous: Unicode.Scalar?

  init(_ source: consuming Source) throws(Source.Failure) {
    window = ByteWindow(source)
    let length = try window.look(CatalogueEncoding.headLength)
    let encoding = CatalogueEncoding(ofHead: window.bytes.prefix(length))
    window.move(by: encoding.markLength)
    var converter: IconvConverter?
    if case .named(let name) = encoding.form { converter = IconvConverter(from: name) }
    if var found = converter.take() {
      self.encoding = encoding
      singles = SingleBytes(of: &found)
      self.converter = consume found
    } else {
      let isNamed = if case .named = encoding.form { true } else { false }
      self.encoding = isNamed ? CatalogueEncoding(form: .utf8) : encoding
      singles = nil
    }
  }

  /// Whether what a byte means does not depend on those long before it, and the digits and the
  /// full stop are those of ASCII, in whatever units.
  var isPlain: Bool { singles?.areLikeASCII ?? true }

  /// The next character, or `nil` at the end.
  mutating func next() throws(Source.Failure) -> DecodedScalar? {
    guard let decoded = try decode() else { return nil }
    previous = decoded.scalar
    if decoded.scalar == "\n" {
      place = SourceLocation(line: place.line + 1, column: 1)
    } else {
      place.column += 1
    }
    return decoded
  }

  /// Moves on to a line's beginning, unless that is behind already; to the end if there are fewer
  /// lines.
  mutating func move(toLine line: Int) throws(Source.Failure) {
    let isByteWise = isPlain && !isInUnits && companions.isEmpty
    while place.line < line {
      if isByteWise {
        guard try window.look(1) > 0 else { return }
        place = SourceLocation(
          line: place.line + window.skip(lineFeeds: line - place.line), column: 1)
        previous = "\n"
      } else if try next() == nil {
        return
      }
    }
  }

  private var isInUnits: Bool {
    switch encoding.form {
    case .utf16, .utf32: true
    case .utf8, .named: false
    }
  }
}

// The encodings.
extension DecodedText where Source: ~Copyable {
  private mutating func decode() throws(Source.Failure) -> DecodedScalar? {
    switch encoding.form {
    case .utf8: try decodeUTF8()
    case .utf16(let isBigEndian): try decodeUTF16(isBigEndian)
    case .utf32(let isBigEndian): try decodeUTF32(isBigEndian)
    case .named: try decodeNamed()
    }
  }

  private mutating func take(_ scalar: Unicode.Scalar?, _ count: Int) -> DecodedScalar {
    let start = window.offset
    window.move(by: count)
    return DecodedScalar(scalar: scalar ?? "\u{FFFD}", bytes: start..<start + count)
  }

  private mutating func decodeUTF8() throws(Source.Failure) -> DecodedScalar? {
    let count = try window.look(4)
    guard count > 0 else { return nil }
    let lead = window[0]
    if lead < 0x80 { return take(Unicode.Scalar(lead), 1) }
    let length = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 1
    guard length > 1, length <= count else { return take(nil, 1) }
    var value = UInt32(lead) & (0x7F >> UInt32(length))
    for index in 1..<length {
      guard window[index] & 0xC0 == 0x80 else { return take(nil, 1) }
      value = value << 6 | UInt32(window[index] & 0x3F)
    }
    return take(Unicode.Scalar(value), length)
  }

  private func unit(_ index: Int, _ isBigEndian: Bool) -> UInt32 {
    let (first, second) = (UInt32(window[index * 2]), UInt32(window[index * 2 + 1]))
    return isBigEndian ? first << 8 | second : second << 8 | first
  }

  private mutating func decodeUTF16(_ isBigEndian: Bool) throws(Source.Failure) -> DecodedScalar? {
    let count = try window.look(4)
    guard count > 1 else { return count == 0 ? nil : take(nil, 1) }
    let unit = unit(0, isBigEndian)
    guard count == 4, UTF16.isLeadSurrogate(UInt16(unit)) else {
      return take(Unicode.Scalar(unit), 2)
    }
    let trail = self.unit(1, isBigEndian)
    guard UTF16.isTrailSurrogate(UInt16(trail)) else { return take(nil, 2) }
    return take(Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (trail - 0xDC00)), 4)
  }

  private mutating func decodeUTF32(_ isBigEndian: Bool) throws(Source.Failure) -> DecodedScalar? {
    let count = try window.look(4)
    guard count == 4 else { return count == 0 ? nil : take(nil, count) }
    let (first, second) = (unit(0, isBigEndian), unit(1, isBigEndian))
    return take(Unicode.Scalar(isBigEndian ? first << 16 | second : second << 16 | first), 4)
  }

  private mutating func decodeNamed() throws(Source.Failure) -> DecodedScalar? {
    if !companions.isEmpty { return companions.removeFirst() }
    guard let singles, singles.areLikeASCII else { return try decodeInState() }
    guard try window.look(1) > 0 else { return nil }
    if let scalar = singles[window[0]] { return take(scalar, 1) }
    return try decodeCharacter()
  }

  /// Bytes of the longest character, with what switches to its set.
  private static var longestCharacter: Int { 16 }

  /// A character of several bytes, in an encoding in which each stands for itself.
  private mutating func decodeCharacter() throws(Source.Failure) -> DecodedScalar? {
    let most = try window.look(Self.longestCharacter)
    for count in 1...most {
      let step = convert(count, most: IconvConverter.capacity)
      if step.ending == .incomplete { continue }
      var scalars = (0..<step.produced).map { converter?.scalar($0) }
      let rest = converter?.finish() ?? 0
      scalars += (0..<rest).map { converter?.scalar($0) }
      guard step.ending == .whole, let first = scalars.first else { break }
      let decoded = take(first, count)
      for companion in scalars.dropFirst() { companions.append(take(companion, 0)) }
      return decoded
    }
    _ = converter?.finish()
    return take(nil, 1)
  }

  /// A character of an encoding with states, whatever it takes to know it.
  private mutating func decodeInState() throws(Source.Failure) -> DecodedScalar? {
    let start = window.offset
    var count = 1
    while true {
      guard try window.look(count) == count else { return endInState(start) }
      let step = convert(count, most: 1)
      window.move(by: step.consumed)
      if step.produced > 0 {
        return DecodedScalar(
          scalar: converter?.scalar(0) ?? "\u{FFFD}", bytes: start..<window.offset)
      }
      if step.consumed > 0 {
        count = 1
      } else if step.ending == .incomplete && count < Self.longestCharacter {
        count += 1
      } else {
        window.move(by: 1)
        return DecodedScalar(scalar: "\u{FFFD}", bytes: start..<window.offset)
      }
    }
  }

  private mutating func endInState(_ start: Int) -> DecodedScalar? {
    if converter?.finish() ?? 0 > 0 {
      return DecodedScalar(
        scalar: converter?.scalar(0) ?? "\u{FFFD}", bytes: start..<window.offset)
    }
    let rest = window.bytes.count - window.index
    guard rest > 0 else { return nil }
    window.move(by: rest)
    return DecodedScalar(scalar: "\u{FFFD}", bytes: start..<window.offset)
  }

  private mutating func convert(_ count: Int, most: Int) -> IconvConverter.Step {
    let bytes = window.bytes
    let part = bytes.span.extracting(window.index..<window.index + count)
    return converter?.convert(part, most: most)
      ?? IconvConverter.Step(consumed: 0, produced: 0, ending: .invalid)
  }
}
