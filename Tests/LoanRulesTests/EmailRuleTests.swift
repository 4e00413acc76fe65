import LoanRules
import Loans
import Testing

struct EmailRuleTests {
  private func judge(_ text: String) -> String? {
    let finding = EmailRule.judge(Array(text.utf8).span)
    if let finding { #expect(finding.code == .invalidEmail) }
    return finding?.message
  }

  @Test(arguments: [
    "eszter@example.org", "e.r+loans@mail.example.org", "o'neill@example.org", "desk@localhost",
    "\"odd name\"@example.org", "\"a@b\"@example.org", "root@[192.0.2.1]",
    "a@xn--pelda-pta.hu", "\(String(repeating: "a", count: 64))@example.org",
  ])
  func `One that may be one is none`(text: String) {
    #expect(judge(text) == nil)
  }

  @Test(arguments: [
    ("eszter.example.org", "has no @"), ("eszter@", "has nothing after the @"),
    ("@example.org", "has nothing before the @"), ("a@b@example.org", "has more than one @"),
    ("a@example.org, b@example.org", "has more than one @"),
    ("eszter ronai@example.org", "contains a space"), ("eszter@exam ple.org", "contains a space"),
    ("<eszter@example.org>", "contains \"<\""), ("mailto:eszter@example.org", "contains \":\""),
    ("eszter@example_org", "contains \"_\""),
    (".eszter@example.org", "has one full stop too many before the @"),
    ("eszter..r@example.org", "has one full stop too many before the @"),
    ("eszter@example..org", "has one full stop too many after the @"),
    ("eszter@example.org.", "has one full stop too many after the @"),
    ("eszter@-example.org", "has a hyphen at the edge of a name"),
  ])
  func `One that cannot be one is told with the reason`(text: String, words: String) {
    #expect(judge(text) == "e-mail \"\(text)\" \(words); expected NAME@DOMAIN")
  }

  @Test func `One beyond ASCII is told with what to write`() {
    #expect(
      judge("rónai@példa.hu")
        == "e-mail \"rónai@példa.hu\" contains \"ó\" before the @, which many mail systems refuse; "
        + "expected NAME@DOMAIN")
    #expect(
      judge("post@példa.hu")
        == "e-mail \"post@példa.hu\" has a domain beyond ASCII; write post@xn--plda-bpa.hu")
  }

  @Test func `Neither the whole nor its parts may be longer than mail takes`() {
    let long = String(repeating: "a", count: 65)
    #expect(judge("\(long)@example.org")?.contains("more than 64 bytes before the @") == true)
    #expect(judge("a@\(long).org")?.contains("a name of more than 63 bytes") == true)
    let labels = [String](repeating: "example", count: 32).joined(separator: ".")
    #expect(judge("a@\(labels)")?.contains("longer than 254 bytes") == true)
  }
}
