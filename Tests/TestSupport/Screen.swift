import Foundation
package import Testing

/// What a command leaves on the screen of a terminal that is emulated by tmux(1).
package struct Screen {
  package static let isHere = File.exists("/usr/bin/tmux") && File.exists("/usr/bin/less")
  package static let lack: Comment = "the Debian packages tmux and less are not installed"

  package let desk: Desk
  package var columns: Int
  package let rows: Int

  package init(desk: Desk, columns: Int = 80, rows: Int = 40) {
    (self.desk, self.columns, self.rows) = (desk, columns, rows)
  }

  /// Runs the command with these arguments, and returns its screen.
  ///
  /// - Parameters:
  ///   - variables: added to the environment of the run.
  ///   - showsStyles: whether the screen is returned with its escape sequences.
  ///   - isWaitedFor: whether it ends by itself, rather than with a pager that waits for a key.
  package func run(
    _ arguments: String..., variables: [String: String] = [:], showsStyles: Bool = false
  ) async throws -> String {
    try await run(arguments, variables: variables, showsStyles: showsStyles)
  }

  /// Runs the command with these arguments, and returns its screen.
  package func run(
    _ arguments: [String], variables: [String: String] = [:], showsStyles: Bool = false,
    isWaitedFor: Bool = true
  ) async throws -> String {
    let words = ([Command.checkLoans] + arguments).map { "'\($0)'" }.joined(separator: " ")
    try desk.folder.write("\(words)\necho $? >status\nsleep 60\n", to: "job")
    let script = """
      trap 'tmux kill-server 2>/dev/null' EXIT
      rm -f status
      tmux -f /dev/null new-session -d -x \(columns) -y \(rows) sh job
      for i in $(seq 600); do
        [ -s status ] && break
        \(isWaitedFor ? "" : "tmux capture-pane -p | grep -q '^:' && break")
        sleep 0.05
      done
      sleep 0.1
      tmux capture-pane \(showsStyles ? "-e" : "") -p
      """
    var command = desk.command(["-c", script])
    command.program = "/bin/sh"
    command.environment.merge(["TMUX_TMPDIR": desk.folder.path, "LC_ALL": "C.UTF-8"]) { $1 }
    command.environment.merge(variables) { $1 }
    let result = try await command.run()
    let lines = result.text.split(separator: "\n", omittingEmptySubsequences: false)
    let end = lines.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? 0
    return lines[..<end].map { $0 + "\n" }.joined()
  }

  /// The status with which the last command has ended.
  package var status: String { desk.folder.contents(of: "status") }
}
