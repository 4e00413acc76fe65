import ArgumentParser

/// What is added to the script that ArgumentParser generates for a shell: where no subcommand is
/// named, the words are completed as if the default one were.
enum CompletionScript {
  private static let names = RootCommand.names
  private static let groups = MistakenCommand.groups.map { name, names in
    """
    '3 \(name)') COMPREPLY=($(compgen -W '\(names.joined(separator: " "))' -- "${2}")) ;;
    """
  }.joined(separator: "\n        ")

  /// The lines to put after a generated script; none after any other text.
  static func addition(to text: String) -> String {
    if text.hasPrefix("#!/bin/bash\n") { return "\n\n\(bash)" }
    if text.hasPrefix("#compdef ") { return "\n\n\(zsh)" }
    return text.hasPrefix("function __check-loans") ? "\n\n\(fish)" : ""
  }

  private static let bash = """
    _check-loans_or_check() {
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
        case "${COMP_WORDS[1]}" in
        help)
            case "${COMP_CWORD} ${COMP_WORDS[2]}" in
            "2 "*) COMPREPLY=($(compgen -W '\(names.joined(separator: " "))' -- "${2}")) ;;
            \(groups)
            esac
            return ;;
        \(names.joined(separator: "|"))) _check-loans "${@}"; return ;;
        esac
        # A first word may become a subcommand.
        [[ "${COMP_CWORD}" -eq 1 && "${2}" != -* ]] && _check-loans "${@}"
        local -a COMP_WORDS=("${COMP_WORDS[0]}" check "${COMP_WORDS[@]:1}")
        local -i COMP_CWORD="$((COMP_CWORD + 1))"
        _check-loans "${@}"
    }
    complete -o filenames -F _check-loans_or_check check-loans
    """

  private static let zsh = """
    _check-loans_or_check() {
        local -i ret=1
        if [[ "${words[2]}" = (\(names.joined(separator: "|"))) ]]; then
            _check-loans "${@}"
            return
        fi
        # A first word may become a subcommand.
        if [[ "${CURRENT}" -eq 2 && "${words[2]}" != -* ]]; then
            _check-loans "${@}" && ret=0
        fi
        words=("${words[1]}" check "${(@)words[2,-1]}")
        (( CURRENT += 1 ))
        _check-loans "${@}" && ret=0
        return "${ret}"
    }
    if [[ "${funcstack[1]}" = _check-loans ]]; then
        _check-loans_or_check "${@}"
    fi
    compdef _check-loans_or_check check-loans
    """

  private static let fish = """
    functions --copy __check-loans_tokens __check-loans_typed_tokens
    function __check-loans_tokens -S
        set -l typed (__check-loans_typed_tokens $argv)
        # A first word may become a subcommand.
        if test (count $typed) -gt 1 -o "$expected_commands" = 'check-loans check'
            if not contains -- "$typed[2]" \(names.joined(separator: " "))
                set typed $typed[1] check $typed[2..]
            end
        end
        string join -- \\n $typed
    end
    """
}
