import Languages
import Notifiers
import Testing

@testable import CommandOutput
@testable import Runs
@testable import Settings

/// What `watch` makes of what happens, without any file or clock.
struct WatchPlanTests {
  @Test func `Buttons are in the language too`() throws {
    let hungarian = try #require(KnownLanguages().language(for: "hu"))
    let buttons = try LoanButtons.parse("snooze,returned").buttons(options: [], in: hungarian)
    #expect(buttons.map(\.label) == ["Emlékeztessen holnap", "Már visszavittem"])
  }

  private typealias Moment = Duration

  private let books = WatchEvent.catalogue(0)
  private let journals = WatchEvent.catalogue(1)

  private func at(_ milliseconds: Int) -> Moment { .milliseconds(1_000_000 + milliseconds) }

  /// The steps taken by somebody who always waits until the next one is due.
  private func steps(_ plan: inout WatchPlan, until end: Int) -> [(Moment, Set<WatchEvent>)] {
    var steps: [(Moment, Set<WatchEvent>)] = []
    while let next = plan.next, next <= at(end) {
      let step = plan.events(at: next)
      steps.append((next, step))
    }
    return steps
  }

  @Test func `Nothing happens, nothing is to be done`() {
    var plan = WatchPlan()
    #expect(plan.next == nil)
    #expect(plan.events(at: at(1_000_000)) == [])
  }

  @Test func `A changed file is looked at once it is left alone`() {
    var plan = WatchPlan()
    plan.noteChange(of: books, at: at(0))
    plan.noteChange(of: books, at: at(100))
    #expect(plan.next == at(250))
    #expect(plan.events(at: at(249)) == [])
    #expect(plan.events(at: at(250)) == [books])
    #expect(plan.next == nil)
  }

  @Test func `Changes that go on do not put off the look for long`() {
    var plan = WatchPlan()
    var looks: [Int] = []
    for time in stride(from: 0, through: 5_000, by: 100) {
      plan.noteChange(of: books, at: at(time))
      if !plan.events(at: at(time)).isEmpty { looks.append(time) }
    }
    #expect(looks == [700, 1_500, 2_300, 3_100, 3_900, 4_700])
  }

  @Test func `One file does not wait for another`() {
    var plan = WatchPlan()
    plan.noteChange(of: books, at: at(0))
    plan.noteChange(of: journals, at: at(100))
    let found = steps(&plan, until: 10_000)
    #expect(found.map(\.0) == [at(150), at(250)])
    #expect(found.map(\.1) == [[books], [journals]])
  }

  @Test func `Files that are ready together are one step`() {
    var plan = WatchPlan()
    plan.noteChange(of: books, at: at(0))
    plan.noteChange(of: .settings, at: at(10))
    #expect(plan.events(at: at(160)) == [books, .settings])
    #expect(plan.next == nil)
  }

  @Test func `A file that is being written is looked at when its writer closes it`() {
    var plan = WatchPlan()
    for time in stride(from: 0, through: 5_000, by: 500) {
      plan.noteWriting(to: books, at: at(time))
      #expect(plan.events(at: at(time)) == [])
    }
    plan.noteChange(of: books, at: at(5_100))
    #expect(plan.next == at(5_250))
  }

  @Test func `A file whose writer does not close it is looked at after a second`() {
    var plan = WatchPlan()
    plan.noteWriting(to: books, at: at(0))
    #expect(plan.next == at(1_000))
    #expect(plan.events(at: at(1_000)) == [books])
  }

  @Test func `A file that could not be used is looked at again, later if it is being written`() {
    var plan = WatchPlan()
    plan.note(books, at: at(1_000))
    #expect(plan.next == at(1_000))
    plan.noteWriting(to: books, at: at(800))
    #expect(plan.next == at(1_800))
    plan.note(books, at: at(1_900))
    #expect(plan.next == at(1_800), "it will be looked at anyway")
    plan.noteChange(of: books, at: at(900))
    #expect(plan.events(at: at(1_050)) == [books])
    #expect(plan.next == nil)
  }

  @Test func `To read all anew is done at once, and makes other looks needless`() {
    var plan = WatchPlan()
    plan.noteChange(of: books, at: at(0))
    plan.note(.everything)
    plan.note(.everything)
    #expect(plan.events(at: at(1)) == [.everything])
    #expect(plan.next == nil)
  }

  @Test func `A moment to wake up at is heard at once, and leaves other looks as they are`() {
    var plan = WatchPlan()
    plan.noteChange(of: books, at: at(0))
    plan.note(.due)
    #expect(plan.events(at: at(1)) == [.due])
    #expect(plan.next == at(150))
  }

  @Test func `A delivery is tried again at its time, or with whatever comes before`() {
    var plan = WatchPlan()
    plan.note(.due, at: at(60_000))
    #expect(plan.next == at(60_000))
    #expect(plan.events(at: at(60_000)) == [.due])
    #expect(plan.next == nil)
    plan.note(.due, at: at(120_000))
    plan.note(.due)
    #expect(plan.events(at: at(61_000)) == [.due])
    #expect(plan.next == nil)
  }

  @Test func `A look at everything waits for its moment, unless there is one before`() {
    var plan = WatchPlan()
    plan.note(.everything, at: at(60_000))
    plan.note(.everything, at: at(61_000))
    #expect(plan.next == at(60_000))
    #expect(plan.events(at: at(59_999)) == [])
    #expect(plan.events(at: at(60_000)) == [.everything])
    plan.note(.everything, at: at(120_000))
    plan.note(.everything)
    #expect(plan.events(at: at(61_000)) == [.everything])
    #expect(plan.next == nil)
  }

  @Test func `Whatever happens, every change is looked at, soon, and never before it is quiet`() {
    for _ in 0..<300 {
      var plan = WatchPlan()
      var time = 0
      var unseen: Int?
      var last = 0
      for _ in 0..<Int.random(in: 1...40) {
        let end = time + [1, 50, 149, 150, 151, 400, 1_000].randomElement(or: 1)
        for (moment, _) in steps(&plan, until: end) {
          guard let start = unseen else { continue }
          let limit = min(last + 150, start + 700)
          #expect(moment == at(limit))
          unseen = nil
        }
        time = end
        plan.noteChange(of: books, at: at(time))
        unseen = unseen ?? time
        last = time
      }
      #expect(steps(&plan, until: time + 150).count == 1)
    }
  }
}

extension Array {
  fileprivate func randomElement(or element: Element) -> Element { randomElement() ?? element }
}
