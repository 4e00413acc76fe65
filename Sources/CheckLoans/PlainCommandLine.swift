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

extension CheckRequest {
  /// The plainest calls, `[check] [--state FILE] [--notify CHANNEL] [--quiet] CATALOGUE…`, or `nil`
  /// for any other.
  ///
  /// As for `validate`: what is understood here ArgumentParser would understand in the same way,
  /// and take longer for it than all the rest does.
  ///
  /// - Parameter arguments: without the program's name.
  init?(plain arguments: ArraySlice<String>) {
    var rest = arguments.first == "check" ? arguments.dropFirst() : arguments
    self.init()
    while let argument = rest.popFirst() {
      switch argument {
      case "-q", "--quiet":
        isQuiet = true
      case "--state":
        guard state == nil, let file = rest.popPlainWord() else { return nil }
        state = file
      case "--notify":
        guard notify.isEmpty, let word = rest.popPlainWord(),
          let channel = ChannelChoice(argument: word)
        else { return nil }
        notify = [channel]
      case "-":
        catalogues.append(argument)
      default:
        guard argument.isPlainWord else { return nil }
        catalogues.append(argument)
      }
    }
    // A command's name has a meaning of its own, and a line without catalogue an answer.
    let names = RootCommand.names
    if catalogues.isEmpty || catalogues.contains(where: names.contains) {
      return nil
    }
  }
}

extension ArraySlice<String> {
  fileprivate mutating func popPlainWord() -> String? {
    popFirst().flatMap { $0.isPlainWord ? $0 : nil }
  }
}

extension String {
  /// Whether it can only be a value.
  fileprivate var isPlainWord: Bool { !isEmpty && utf8.first != UInt8(ascii: "-") }
}
