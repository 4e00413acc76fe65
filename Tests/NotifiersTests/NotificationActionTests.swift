import Notifiers
import Testing

/// How a button is read from the command line.
@Suite struct NotificationActionTests {
  @Test(arguments: [
    ("View=xdg-open https://example.org", "View", ["xdg-open", "https://example.org"]),
    ("View=a=b c=d", "View", ["a=b", "c=d"]),
    ("Show it = \t/usr/bin/show\n", "Show it", ["/usr/bin/show"]),
    (#"View='a b' "c d" e\ f 'g'"h"i"#, "View", ["a b", "c d", "e f", "ghi"]),
    (#"View=a '' """#, "View", ["a", "", ""]),
    (
      #"View='\$HOME "x"' "\$HOME \"x\" \\ \n \a '" \'"#, "View",
      [#"\$HOME "x""#, #"$HOME "x" \ \n \a '"#, "'"]
    ),
    (
      "View=$HOME `touch x` $(touch x); * ~ a|b >c &", "View",
      ["$HOME", "`touch", "x`", "$(touch", "x);", "*", "~", "a|b", ">c", "&"]
    ),
    ("View=a\\\nb \"c\\\nd\"", "View", ["ab", "cd"]),
    ("Megnéz=őr 'ű ű'", "Megnéz", ["őr", "ű ű"]),
    ("\u{1B}[31mred\u{202E}=a", "[31mred", ["a"]),
  ])
  func `A command is split into words as by a shell, but nothing is expanded`(
    argument: String, label: String, words: [String]
  ) throws {
    let action = try NotificationAction(argument: argument)
    #expect(action.label == label)
    #expect([action.program] + action.arguments == words)
  }

  @Test(arguments: [
    ("View", NotificationActionError.Code.noCommand, #""View" has no ="#),
    ("", .noCommand, #""" has no ="#),
    ("=xdg-open", .emptyLabel, #""=xdg-open" has no label before the ="#),
    (" \u{7} =xdg-open", .emptyLabel, #"" \u{7} =xdg-open" has no label before the ="#),
    ("View=", .emptyCommand, #""View=" has no command after the ="#),
    ("View= \t ", .emptyCommand, #""View= \u{9} " has no command after the ="#),
    ("View='' x", .emptyCommand, #""View='' x" has no command after the ="#),
    ("View=a 'b", .unbalancedQuote("'"), #""View=a 'b" lacks a closing '"#),
    (#"View=a "b"#, .unbalancedQuote("\""), #""View=a "b" lacks a closing ""#),
    (#"View=a "b\"#, .unbalancedQuote("\""), #""View=a "b\" lacks a closing ""#),
    (#"View=a\"#, .trailingBackslash, #""View=a\" ends in a backslash"#),
  ])
  func `What is no action is refused with a reason`(
    argument: String, code: NotificationActionError.Code, reason: String
  ) throws {
    let error = #expect(throws: NotificationActionError.self) {
      _ = try NotificationAction(argument: argument)
    }
    #expect(error?.code == code)
    #expect(
      error?.description == "expected LABEL=COMMAND, for example View=xdg-open: \(reason)")
  }

  @Test func `A label that fills the screen is shortened`() throws {
    let action = try NotificationAction(argument: String(repeating: "ű", count: 1_000) + "=true")
    #expect(action.label == String(repeating: "ű", count: 60) + "…")
  }
}
