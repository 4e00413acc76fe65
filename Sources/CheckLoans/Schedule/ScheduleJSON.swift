import Loans
import ReminderSchedule

// What the commands about the schedule have in common in JSON.

extension ScheduledLoan {
  /// The loan, its catalogue and its number.
  var jsonMembers: [(key: String, value: JSONValue)] {
    [
      ("id", .int(id)), ("catalogue", .string(catalogue)),
      ("loan", .object(loan.members(library: library))),
    ]
  }

  /// The next notice that is sent unless the loan is renewed; null if there is none to come.
  func nextJSON(after now: CivilDateTime) -> JSONValue {
    next(after: now).map { rung, fireAt in
      ["rung": .int(rung), "fireAt": .string(fireAt.toTheMinute)]
    } ?? .null
  }
}

extension Delivery {
  var json: JSONValue {
    .object([
      ("channel", .string(channel)), ("state", .string(state.rawValue)),
      ("at", JSONValue(clockTime?.description)),
      ("attempts", .int(attempts)), ("error", JSONValue(error)), ("sentTo", JSONValue(sentTo)),
    ])
  }
}
