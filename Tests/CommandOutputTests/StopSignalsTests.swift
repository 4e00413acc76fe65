import Glibc
import System
import SystemPackage
import TestSupport
import Testing

@testable import CommandOutput

/// What `watch` learns of signals that another thread has read.
struct StopSignalsTests {
  private func canBeRead(_ end: FileDescriptor) -> Bool {
    var request = pollfd(fd: end.rawValue, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, 0) == 1
  }

  @Test(arguments: [(SIGHUP, false), (SIGTERM, true)])
  func `A signal that another thread has read ends a wait that begins then`(
    signal: Int32, stops: Bool
  ) throws {
    let ends = try OpenFile.pipe()
    let (reading, writing) = (ends.reading.descriptor, ends.writing.descriptor)
    var state = StopSignals.State(pipe: reading, wake: writing, isWatching: true)
    try writing.writeAll([UInt8(signal)])
    for _ in 1...3 {
      let isStopRequested = state.isStopRequested()
      #expect(isStopRequested == stops)
      #expect(canBeRead(reading))
    }
    let taken = state.take()
    #expect(taken == (stops, !stops))
    #expect(!canBeRead(reading))
    let takenAgain = state.take()
    #expect(takenAgain == (stops, false))
  }

  @Test func `Where no signal has come there is nothing to read`() throws {
    let ends = try OpenFile.pipe()
    var state = StopSignals.State(
      pipe: ends.reading.descriptor, wake: ends.writing.descriptor, isWatching: true)
    let isStopRequested = state.isStopRequested()
    #expect(!isStopRequested)
    #expect(!canBeRead(ends.reading.descriptor))
  }
}
