/// One line for each finding, as compilers write it.
struct TextForm: FindingsForm {
  func text(of finding: LocatedDiagnostic) -> String { finding.line + "\n" }
}
