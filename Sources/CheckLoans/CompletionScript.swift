import ArgumentParser

/// What is added to the script that ArgumentParser generates for a shell: where no command is named,
/// the words are catalogues.
enum CompletionScript {
  /// The lines to put after a generated script; none after any other text.
  static func addition(to text: String) -> String {
    if text.hasPrefix("#!/bin/bash\n") { return "\n\n\(bash)" }
    if text.hasPrefix("#compdef ") { return "\n\n\(zsh)" }
    return text.hasPrefix("function __check-loans") ? "\n\n\(fish)" : ""
  }

  private static let names = RootCommand.names.joined(separator: "|")

  private static let bash = """
    _check-loans_or_file() {
        # bash splits --format=json into three words; without the = it means the same.
        local -a words=()
        local -i index cword="${COMP_CWORD}"
        for index in "${!COMP_WORDS[@]}"; do
            if [[ "${COMP_WORDS[index]}" != = || "${COMP_WORDS[index - 1]}" != --* ]]; then
                words+=("${COMP_WORDS[index]}")
            elif ((index == COMP_CWORD)); then
                words+=('')
            elif ((index < COMP_CWORD)); then
                cword+=-1
            fi
        done
        local -a COMP_WORDS=("${words[@]}")
        local -i COMP_CWORD="${cword}"
        set -- "${1}" "${2#=}" "${COMP_WORDS[COMP_CWORD - 1]}"
        if ((COMP_CWORD == 1)) || [[ "${COMP_WORDS[1]}" == @(\(names)) ]]; then
            _check-loans "${@}"
            ((COMP_CWORD == 1)) || return
        fi
        local -r cur="${2}"
        [[ "${cur}" == -* ]] || __check-loans_add_completions -f
    }
    complete -o filenames -F _check-loans_or_file check-loans
    """

  private static let zsh = """
    _check-loans_or_file() {
        local -i ret=1
        if [[ "${CURRENT}" -eq 2 || "${words[2]}" = (\(names)) ]]; then
            _check-loans "${@}" && ret=0
            [[ "${CURRENT}" -eq 2 ]] || return "${ret}"
        fi
        _files && ret=0
        return "${ret}"
    }
    if [[ "${funcstack[1]}" = _check-loans ]]; then
        _check-loans_or_file "${@}"
    fi
    compdef _check-loans_or_file check-loans
    """

  private static let fish = """
    complete -c check-loans -n '__check-loans_should_offer_completions_for_flags_or_options "check-loans"' -F
    """
}
