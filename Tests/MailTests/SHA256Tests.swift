import TestSupport
import Testing

@testable import Mail

@Suite struct SHA256Tests {
  @Test func `A digest of any length is the one that sha256sum prints`() async throws {
    let folder = try ScratchFolder()
    var dice = Dice(state: 256)
    let lengths = Array(0...200) + [511, 512, 513, 70_000]
    let texts = lengths.map { length in
      (0..<length).map { _ in UInt8.random(in: 0...255, using: &dice) }
    }
    for (number, text) in texts.enumerated() { try folder.write(bytes: text, to: "\(number)") }
    let script = "for n in $(seq 0 \(texts.count - 1)); do sha256sum $n; done"
    let result = try await run("/bin/sh", "-c", script, in: folder)
    #expect(result.errorText == "")
    #expect(result.lines == texts.enumerated().map { "\(SHA256.hexadecimal($1))  \($0)" })
  }
}
