/// The account that does the daily run of a machine, with its files where services have theirs.
package enum SystemAccount {
  package static let name = "check-loans"
  /// Its home, which is also where it keeps its schedule.
  package static let home = "\(states)/check-loans"
  /// The directory of settings, which for a user is `~/.config`.
  package static let configuration = "/etc"
  /// The directory of states, which for a user is `~/.local/state`.
  static let states = "/var/lib"

  package static let settingsFile = "\(configuration)/\(Environment.settingsFile)"
  package static let schedule = "\(states)/\(Environment.stateFile)"
  /// Variables for its daily run, such as passwords of channels.
  package static let variables = "\(configuration)/check-loans/environment"

  /// What makes the account.
  package static let creation =
    "useradd --system --user-group --home-dir \(home) --shell /usr/sbin/nologin \(name)"
}

extension Environment {
  /// The same with the directories of the account that does the daily run of the machine.
  package var ofSystemAccount: Environment {
    var variables = variables.filter { !$0.key.hasPrefix("XDG_") }
    variables["HOME"] = SystemAccount.home
    return Environment(variables: variables, userID: userID, given: given)
  }
}
