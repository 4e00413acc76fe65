import CommandOutput
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
    let replacement = diagnostic.endColumn == nil ? nil : diagnostic.replacement
    return JSONValue(present: [
      "ruleId": .string(diagnostic.code.rawValue),
      "ruleIndex": JSONValue(Diagnostic.Code.allCases.firstIndex(of: diagnostic.code)),
      "level": .string(diagnostic.severity.rawValue),
      "message": text(diagnostic.message),
      "locations": [location(file, region)],
      "partialFingerprints": ["loanFinding/v1": .string(diagnostic.fingerprint.hexadecimal)],
      "fixes": replacement.map { [fix(file, region, $0)] },
    ]).text
  }

  func tail(_ tally: FindingsTally) -> String {
    "\n],\"invocations\":[\(invocation(tally).text)]}]}\n"
  }
}

// MARK: - A finding

extension SARIFForm {
  private func region(of diagnostic: Diagnostic) -> JSONValue {
    let (line, end) = (diagnostic.location.line, diagnostic.endColumn)
    return JSONValue(present: [
      "startLine": .int(line), "startColumn": .int(diagnostic.location.column),
      "endLine": end.map { _ in .int(line) }, "endColumn": end.map { .int($0) },
    ])
  }

  private func location(_ file: JSONValue, _ region: JSONValue? = nil) -> JSONValue {
    ["physicalLocation": JSONValue(present: ["artifactLocation": file, "region": region])]
  }

  private func artifact(_ path: String) -> JSONValue {
    JSONValue(present: [
      "uri": .string(path.asURI), "uriBaseId": path.hasPrefix("/") ? nil : .string(Self.base),
    ])
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
    let text = message.escaped { scalar, previous in
      let isLink = previous == "]" && scalar == "("
      let isPlaceholder = previous == "{" && ("0"..."9").contains(scalar)
      return isLink || isPlaceholder ? " \(scalar)" : nil
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
    let unread = tally.unread.map { file in
      notification("error", file.failure ?? "", [location(artifact(file.repositoryPath))])
    }
    let omitted = "\(counted(tally.omitted, "problem")) not shown"
    return [
      "executionSuccessful": .bool(unread.isEmpty),
      "toolExecutionNotifications": .array(
        unread + (tally.omitted > 0 ? [notification("warning", omitted)] : [])),
    ]
  }

  private func notification(
    _ level: String, _ message: String, _ locations: JSONValue? = nil
  ) -> JSONValue {
    JSONValue(present: [
      "level": .string(level), "message": text(message), "locations": locations,
    ])
  }
}
