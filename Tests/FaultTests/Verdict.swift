import TestSupport
import Testing

/// How many messages may be told again after a run that was cut off.
enum Repeats: Sendable {
  /// The last message of one channel, which was in flight.
  case inFlight
  /// The last message of each channel.
  case lastOfEach
}

extension Scene {
  /// Checks what must hold between a run that did not end well and the next one.
  func checkAfterDisturbance(_ trial: Trial, _ what: String) async throws {
    #expect(try await trial.leftovers() == [], "\(what): processes are left")
    #expect(try await trial.integrity() == "ok", "\(what)")
    let plans = try await trial.plans()
    #expect(
      plans == before || plans == after,
      """
      \(what): the schedule is a mix, with \(plans.symmetricDifference(before).count) entries other \
      than in the old one, and \(plans.symmetricDifference(after).count) other than in the new one
      """)
  }

  /// Runs it again to the end, and checks that everything was told and nothing told twice.
  func finish(_ trial: Trial, _ what: String, repeats: Repeats = .inFlight) async throws {
    try trial.folder.write("", to: "fixed")
    let result = try await trial.run(arguments, phase: "two")
    #expect(result.status == 0, "\(what): \(result.errorText)")
    #expect(result.errorText == "", "\(what)")
    #expect(try await trial.leftovers() == [], "\(what): processes are left by the second run")
    #expect(try await trial.integrity() == "ok", "\(what)")
    #expect(try await trial.plans() == after, "\(what): not what an undisturbed run leaves")
    var channelsInFlight = 0
    for channel in channels {
      let isInFlight = check(channel, trial, what)
      if isInFlight { channelsInFlight += 1 }
    }
    if case .inFlight = repeats {
      #expect(channelsInFlight <= 1, "\(what): repeats in more than one channel")
    }
  }

  /// - Returns: whether a message was told twice.
  private func check(_ channel: Channel, _ trial: Trial, _ what: String) -> Bool {
    let first = trial.heard(channel, "one")
    let second = trial.heard(channel, "two").flatMap(\.self)
    let told = Set(first.flatMap(\.self))
    let place = "\(what), \(channel)"
    #expect(first.flatMap(\.self).count == told.count, "\(place): repeated in the first run")
    #expect(second.count == Set(second).count, "\(place): repeated in the second run")
    let wanted = expected[channel] ?? []
    let all = told.union(second)
    #expect(wanted.subtracting(all).isEmpty, "\(place): lost \(wanted.subtracting(all))")
    #expect(all.subtracting(wanted).isEmpty, "\(place): not due \(all.subtracting(wanted))")
    let twice = told.intersection(second)
    let inFlight = Set(first.last ?? [])
    #expect(twice.isSubset(of: inFlight), "\(place): told twice \(twice.subtracting(inFlight))")
    return !twice.isEmpty
  }
}

/// Does something for each element, a few at a time.
func forEach<Element: Sendable>(
  _ elements: [Element], atOnce width: Int = 3,
  _ body: @escaping @Sendable (Element) async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for (index, element) in elements.enumerated() {
      if index >= width { try await group.next() }
      group.addTask { try await body(element) }
    }
    try await group.waitForAll()
  }
}
