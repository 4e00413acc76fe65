import LoanRules
import Loans

/// The results in SARIF 2.1.0 (OASIS), which GitHub's code scanning and others keep and compare.
///
/// One finding a line, so that two results can be compared by line too.
struct SARIFForm: FindingsForm {
  var separator: String { ",\n" }

  func head(_ tally: FindingsTally) -> String {
    """
    {"$schema":"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/\
    sarif-schema-2.1.0.json","version":"2.1.0","runs":[{"tool":\(Self.tool.text),\
    "originalUriBaseIds":\(Self.bases.text),"columnKind":"unicodeCodePoints","results":[\n
    """
  }

  func text(of finding: LocatedDiagnostic) -> String {
    let diagnostic = finding.diagnostic
    let file = artifact(finding.repositoryPath)
    let region = region(of: diagnostic)
    var members: [(key: String, value: JSONValue)] = [
      ("ruleId", .string(diagnostic.code.rawValue)),
      ("ruleIndex", JSONValue(Diagnostic.Code.allCases.firstIndex(of: diagnostic.code))),
      ("level", .string(diagnostic.severity.rawValue)),
      ("message", text(diagnostic.message)),
      ("locations", [location(file, region)]),
      ("partialFingerprints", ["loanFinding/v1": .string(diagnostic.fingerprint.hexadecimal)]),
    ]
    if let replacement = diagnostic.replacement, diagnostic.endColumn != nil {
      members.append(("fixes", [fix(file, region, replacement)]))
    }
    return JSONValue.object(members).text
  }

  func tail(_ tally: FindingsTally) -> String {
    "\n],\"invocations\":[\(invocation(tally).text)]}]}\n"
  }
}

// MARK: - A finding

extension SARIFForm {
  private func region(of diagnostic: Diagnostic) -> JSONValue {
    let location = diagnostic.location
    var members: [(key: String, value: JSONValue)] = [
      ("startLine", .int(location.line)), ("startColumn", .int(location.column)),
    ]
    if let endColumn = diagnostic.endColumn {
      members += [("endLine", .int(location.line)), ("endColumn", .int(endColumn))]
    }
    return .object(members)
  }

  private func location(_ file: JSONValue, _ region: JSONValue? = nil) -> JSONValue {
    let region = region.map { [(key: "region", value: $0)] } ?? []
    return ["physicalLocation": .object([("artifactLocation", file)] + region)]
  }

  private func artifact(_ path: String) -> JSONValue {
    let uri = JSONValue.string(path.asURI)
    return path.hasPrefix("/") ? ["uri": uri] : ["uri": uri, "uriBaseId": .string(Self.base)]
  }

  private func fix(_ file: JSONValue, _ region: JSONValue, _ replacement: String) -> JSONValue {
    let change: JSONValue = [
      "deletedRegion": region, "insertedContent": ["text": .string(replacement)],
    ]
    return [
      "description": text("write \(replacement)"),
      "artifactChanges": [["artifactLocation": file, "replacements": [change]]],
    ]
  }

  /// A message in which nothing is a link (SARIF, section 3.11.6) or stands for an argument
  /// (3.11.5).
  private func text(_ message: String) -> JSONValue {
    var text = ""
    var previous: Unicode.Scalar?
    for scalar in message.unicodeScalars {
      let isLink = previous == "]" && scalar == "("
      let isPlaceholder = previous == "{" && ("0"..."9").contains(scalar)
      if isLink || isPlaceholder { text += " " }
      text.unicodeScalars.append(scalar)
      previous = scalar
    }
    return ["text": .string(text)]
  }
}

// MARK: - The run

extension SARIFForm {
  /// The base of relative addresses.
  private static let base = "%SRCROOT%"

  private static var bases: JSONValue {
    [base: ["description": ["text": "The root of the repository."]]]
  }

  private static var tool: JSONValue {
    [
      "driver": [
        "name": "check-loans",
        "version": .string(ProgramVersion.number),
        "semanticVersion": .string(ProgramVersion.number),
        "rules": .array(Diagnostic.Code.allCases.map(rule)),
      ]
    ]
  }

  private static func rule(_ code: Diagnostic.Code) -> JSONValue {
    let rule = Rule(code)
    return [
      "id": .string(code.rawValue),
      "shortDescription": ["text": .string("\(rule.summary).")],
      "fullDescription": ["text": .string(rule.explanation)],
      "help": ["text": .string(rule.remedy)],
      "defaultConfiguration": ["level": .string(code.validationSeverity.rawValue)],
    ]
  }

  private func invocation(_ tally: FindingsTally) -> JSONValue {
    var notifications = tally.unread.map { file in
      notification(
        "error", file.failure ?? "the catalogue could not be read",
        ("locations", [location(artifact(file.repositoryPath))]))
    }
    if tally.omitted > 0 {
      notifications.append(
        notification("warning", "\(counted(tally.omitted, "problem")) not shown"))
    }
    return [
      "executionSuccessful": .bool(tally.unread.isEmpty),
      "toolExecutionNotifications": .array(notifications),
    ]
  }

  private func notification(
    _ level: String, _ message: String, _ more: (key: String, value: JSONValue)...
  ) -> JSONValue {
    .object([("level", .string(level)), ("message", text(message))] + more)
  }
}
