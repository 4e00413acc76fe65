import TestSupport

/// The places in the program where it can be stopped.
enum Failpoints {
  /// The names in the calls `failpoint("NAME")` of the sources.
  static func named() throws -> Set<String> {
    var names: Set<String> = []
    for file in try File.names(below: "\(projectDirectory)/Sources") where file.hasSuffix(".swift")
    {
      let text = try File.text(of: file)
      for match in text.matches(of: /failpoint\("([^"]+)"\)/) {
        names.insert(String(match.output.1))
      }
    }
    return names
  }

  /// One passing of a place: its name, and the how-manieth it is.
  struct Pass: Hashable, Sendable, CustomStringConvertible {
    var name: String
    var number: Int

    var description: String { "\(name):\(number)" }
  }

  /// How often each name is in a list.
  private static func counts(_ trace: [String]) -> [(name: String, count: Int)] {
    var counts: [String: Int] = [:]
    for name in trace { counts[name, default: 0] += 1 }
    return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The passes worth a try, of the names in the order in which they were passed: the first and
  /// last, and some between them.
  static func passes(_ trace: [String]) -> [Pass] {
    counts(trace).flatMap { name, count in
      let numbers = [1, 2, 3, count / 2, count - 1, count].filter { (1...count).contains($0) }
      return Set(numbers).sorted().map { Pass(name: name, number: $0) }
    }
  }

  /// A sample of ``passes(_:)``: every name that other scenes do not pass, and some of the others.
  ///
  /// - Parameter rotation: another number for each scene, so that together they try all names.
  static func sample(_ trace: [String], common: Set<String>, rotation: Int) -> [Pass] {
    let places = counts(trace).enumerated().compactMap { index, place -> Pass? in
      guard !common.contains(place.name) || (index + rotation) % 4 == 0 else { return nil }
      let numbers = [1, (place.count + 1) / 2, place.count]
      return Pass(name: place.name, number: numbers[(index + rotation) % 3])
    }
    return places.isEmpty ? trace.suffix(1).map { Pass(name: $0, number: 1) } : places
  }
}

/// Where the package's sources are.
let projectDirectory = #filePath.split(separator: "/", omittingEmptySubsequences: false)
  .dropLast(3).joined(separator: "/")
