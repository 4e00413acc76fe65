extension ValidationRequest {
  /// The plainest calls, `validate [--quiet] [--require-expiration] CATALOGUE…`, or `nil` for any
  /// other.
  ///
  /// ArgumentParser takes longer to look at its own types than `validate` takes to check a usual
  /// catalogue. What is understood here it would understand in the same way.
  ///
  /// - Parameter arguments: without the program's name.
  init?(plain arguments: ArraySlice<String>) {
    guard arguments.first == "validate" else { return nil }
    self.init()
    for argument in arguments.dropFirst() {
      switch argument {
      case "-q", "--quiet": isQuiet = true
      case "--require-expiration": requiresExpiration = true
      case _ where argument.hasPrefix("-") && argument != "-": return nil
      default: catalogues.append(argument)
      }
    }
    // `help` would be a subcommand's name to ArgumentParser.
    if catalogues.isEmpty || catalogues.first == "help" { return nil }
  }
}
