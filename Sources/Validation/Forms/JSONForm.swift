import CommandOutput
import Loans

/// One JSON document on one line, with everything that is known of a finding.
struct JSONForm: FindingsForm {
  var needsTally: Bool { true }
  var separator: String { "," }

  func head(_ tally: FindingsTally) -> String {
    """
    {"version":1,"files":\(tally.read.count),"loans":\(tally.loans),"errors":\(tally.errors),\
    "warnings":\(tally.warnings),"omitted":\(tally.omitted),"diagnostics":[
    """
  }

  func text(of finding: LocatedDiagnostic) -> String {
    let added: [(key: String, value: JSONValue)] = [
      ("replacement", JSONValue(finding.diagnostic.replacement)),
      ("fingerprint", .string(finding.diagnostic.fingerprint.hexadecimal)),
    ]
    return JSONValue.object(finding.jsonMembers + added).text
  }

  func tail(_ tally: FindingsTally) -> String {
    let unread = JSONValue.unread(tally.files.map { ($0.path, $0.failure) })
    let read = tally.read.map { file in
      ["path": .string(file.path), "profile": JSONValue(file.profile)] as JSONValue
    }
    return """
      ],"unread":\(unread.text),"catalogues":\(JSONValue.array(read).text)}

      """
  }
}
