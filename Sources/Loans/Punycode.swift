/// Domain names in ASCII, `xn--plda-bpa` for `példa`, as the DNS and mail without SMTPUTF8 have
/// them (RFC 3492, RFC 5890).
enum Punycode {
  /// The parameters of RFC 3492, section 5.
  private static let (base, leastDigit, mostDigit, skew, damp) = (36, 1, 26, 38, 700)

  /// A domain, each of its names in ASCII; `nil` for one with marks that are characters of their own,
  /// which would have to be composed (NFC) first.
  static func domain(_ domain: some StringProtocol) -> String? {
    let text = domain.lowercased()
    if text.unicodeScalars.contains(where: \.isMark) { return nil }
    return text.split(separator: ".").map { name in
      name.utf8.allSatisfy { $0 < 0x80 } ? String(name) : "xn--\(encoded(name))"
    }.joined(separator: ".")
  }

  /// The procedure of RFC 3492, section 6.3, for a name that has at most 63 bytes: nothing overflows.
  private static func encoded(_ name: Substring) -> String {
    let values = name.unicodeScalars.map { Int($0.value) }
    let basic = name.unicodeScalars.filter(\.isASCII)
    var text = String(String.UnicodeScalarView(basic)) + (basic.isEmpty ? "" : "-")
    var (delta, bias, done, least) = (0, 72, basic.count, 0x80)
    while let next = values.filter({ $0 >= least }).min() {
      delta += (next - least) * (done + 1)
      for value in values where value <= next {
        if value < next {
          delta += 1
          continue
        }
        text += digits(of: delta, bias)
        bias = adapted(delta, count: done + 1, isFirst: done == basic.count)
        (delta, done) = (0, done + 1)
      }
      (delta, least) = (delta + 1, next + 1)
    }
    return text
  }

  /// An integer of variable length, RFC 3492, section 3.3.
  private static func digits(of number: Int, _ bias: Int) -> String {
    var (rest, place, text) = (number, base, "")
    while true {
      let threshold = min(max(place - bias, leastDigit), mostDigit)
      if rest < threshold { return text + digit(rest) }
      text += digit(threshold + (rest - threshold) % (base - threshold))
      rest = (rest - threshold) / (base - threshold)
      place += base
    }
  }

  /// The letters are 0 to 25, and the figures 26 to 35, RFC 3492, section 5.
  private static func digit(_ value: Int) -> String {
    String((value + 10) % base, radix: base)
  }

  /// The bias for the next number, RFC 3492, section 6.1.
  private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
    var rest = isFirst ? delta / damp : delta / 2
    rest += rest / count
    var bias = 0
    while rest > (base - leastDigit) * mostDigit / 2 {
      rest /= base - leastDigit
      bias += base
    }
    return bias + (base - leastDigit + 1) * rest / (rest + skew)
  }
}

extension Unicode.Scalar {
  /// Whether it is put over or under the character before it.
  fileprivate var isMark: Bool { properties.canonicalCombiningClass != .notReordered }
}
