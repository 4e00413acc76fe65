extension FindingsFormat {
  /// How results of this form are written.
  var form: any FindingsForm {
    switch self {
    case .text: TextForm()
    case .json: JSONForm()
    case .github: GitHubForm()
    case .sarif: SARIFForm()
    case .junit: JUnitForm()
    case .gitlab: GitLabForm()
    case .checkstyle: CheckstyleForm()
    case .rdjsonl: RDJSONLForm()
    }
  }
}
