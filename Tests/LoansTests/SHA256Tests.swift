import Loans
import TestSupport
import Testing

struct SHA256Tests {
  @Test func `A digest of any length is the one that sha256sum prints`() async throws {
    let folder = try ScratchFolder()
    var dice = Dice(state: 256)
    let lengths = Array(0...200) + [511, 512, 513, 70_000]
    let texts = lengths.map { length in
      (0..<length).map { _ in UInt8.random(in: 0...255, using: &dice) }
    }
    for (number, text) in texts.enumerated() { try folder.write(bytes: text, to: "\(number)") }
    let script = "for n in $(seq 0 \(texts.count - 1)); do sha256sum $n; done"
    let result = try await Command(
      "/bin/sh", ["-c", script], environment: ["PATH": "/usr/bin:/bin"], directory: folder.path
    ).run()
    #expect(result.errorText == "")
    #expect(result.lines == texts.enumerated().map { "\(SHA256.hexadecimal($1))  \($0)" })
  }

  /// RFC 4231, test cases 1 and 2.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0B, count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
  ])
  func `A digest with a secret is the one of the standard`(
    key: [UInt8], text: String, digest: String
  ) {
    #expect(SHA256.hexadecimal(text.utf8, key: key) == digest)
  }
}
