import ArgumentParser

/// A script that has a shell complete the command's arguments.
///
/// What ArgumentParser generates knows nothing of a default subcommand: where none is named, it
/// completes neither options nor files. Here the words are completed as if the default one were
/// named, and a first word as a subcommand too.
enum CompletionScript {
  private static let name = RootCommand.configuration.commandName ?? ""
  private static let standard =
    RootCommand.configuration.defaultSubcommand?.configuration.commandName ?? ""
  private static let subcommands =
    RootCommand.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]

  /// The function of bash and zsh that completes, and what it is called behind ours.
  private static let function = "_\(name)"
  private static let generated = "__\(name)_generated"

  /// The text with the default subcommand in it if it is a generated script, else as it is.
  static func knowingDefault(_ text: String) -> String {
    if text.hasPrefix("#!/bin/bash\n") {
      return text.replacing("\n\(function)() {\n", with: bashFunction, maxReplacements: 1)
    }
    if text.hasPrefix("#compdef ") {
      return text.replacing("\n\(function)() {\n", with: zshFunction, maxReplacements: 1)
    }
    return text.replacing(fishTokens, with: fishTokens + fishDefault, maxReplacements: 1)
  }

  private static let bashFunction = """

    \(function)() {
        case "${COMP_WORDS[1]}" in
        \(subcommands.joined(separator: "|")))
            \(generated) "${@}"
            return
            ;;
        esac
        # A first word may become a subcommand.
        [[ "${COMP_CWORD}" -eq 1 && "${2}" != -* ]] && \(generated) "${@}"
        local -a COMP_WORDS=("${COMP_WORDS[0]}" \(standard) "${COMP_WORDS[@]:1}")
        local -i COMP_CWORD="$((COMP_CWORD + 1))"
        \(generated) "${@}"
    }

    \(generated)() {

    """

  private static let zshFunction = """

    \(function)() {
        local -i ret=1
        if [[ "${words[2]}" = (\(subcommands.joined(separator: "|"))) ]]; then
            \(generated) "${@}"
            return
        fi
        # A first word may become a subcommand.
        if [[ "${CURRENT}" -eq 2 && "${words[2]}" != -* ]]; then
            \(generated) "${@}" && ret=0
        fi
        words=("${words[1]}" \(standard) "${(@)words[2,-1]}")
        (( CURRENT += 1 ))
        \(generated) "${@}" && ret=0
        return "${ret}"
    }

    \(generated)() {

    """

  /// The words before the one that is completed.
  private static let fishTokens = "    set -l unparsed_tokens (__\(name)_tokens -pc)\n"

  private static let fishDefault = """
        # A first word may become a subcommand.
        if test (count $unparsed_tokens) -gt 1 -o "$expected_commands" = '\(name) \(standard)'
            if not contains -- "$unparsed_tokens[2]" \(subcommands.joined(separator: " "))
                set unparsed_tokens $unparsed_tokens[1] \(standard) $unparsed_tokens[2..]
            end
        end

    """
}
