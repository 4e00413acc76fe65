import Testing

@testable import CheckLoans

/// What `watch` tells of troubles that come back, without any catalogue.
struct TroublesTests {
  private typealias Advice = CatalogueTroubles.Advice

  private func at(_ milliseconds: Int) -> Duration { .milliseconds(milliseconds) }

  @Test func `What was told the last time is not told again`() {
    var told = ToldTroubles()
    #expect(told.news(in: ["a", "b"]) == ["a", "b"])
    #expect(told.news(in: ["b", "c"]) == ["c"])
    #expect(told.news(in: []) == [])
    #expect(told.news(in: ["b"]) == ["b"])
  }

  @Test func `A catalogue that is broken for a moment is not told`() {
    var troubles = CatalogueTroubles()
    #expect(troubles.note(["x"], isUsable: false, at: at(0)) == Advice(looksAgain: true))
    #expect(troubles.note([], isUsable: true, at: at(1_000)) == Advice())
    #expect(troubles.note(["x"], isUsable: false, at: at(1_100)) == Advice(looksAgain: true))
  }

  @Test func `A catalogue that stays broken is told once`() {
    var troubles = CatalogueTroubles()
    #expect(troubles.note(["x"], isUsable: false, at: at(0)) == Advice(looksAgain: true))
    #expect(troubles.note(["x"], isUsable: false, at: at(400)) == Advice(looksAgain: true))
    #expect(troubles.note(["x"], isUsable: false, at: at(1_000)) == Advice(news: ["x"]))
    #expect(troubles.note(["x"], isUsable: false, at: at(9_000)) == Advice())
    #expect(troubles.note([], isUsable: true, at: at(10_000)) == Advice())
    #expect(troubles.note(["x"], isUsable: false, at: at(11_000)) == Advice(looksAgain: true))
    #expect(troubles.note(["x"], isUsable: false, at: at(12_000)) == Advice(news: ["x"]))
  }

  @Test func `A catalogue that is broken in another way each time is being written`() {
    var troubles = CatalogueTroubles()
    for time in 0..<20 {
      #expect(
        troubles.note(["line \(time)"], isUsable: false, at: at(time * 2_000))
          == Advice(looksAgain: true))
    }
  }

  @Test func `What is wrong in a catalogue that can be used is told at once, and once`() {
    var troubles = CatalogueTroubles()
    #expect(troubles.note(["x", "y"], isUsable: true, at: at(0)) == Advice(news: ["x", "y"]))
    #expect(troubles.note(["y", "z"], isUsable: true, at: at(1)) == Advice(news: ["z"]))
    #expect(troubles.note(["y", "z"], isUsable: true, at: at(2)) == Advice())
  }

  @Test func `What fails is tried after a minute, then later and later, within an hour`() {
    var patience = Patience()
    let minutes = (0..<9).map { _ in patience.afterFailure().components.seconds / 60 }
    #expect(minutes == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    patience.reset()
    #expect(patience.afterFailure() == .seconds(60))
  }
}
