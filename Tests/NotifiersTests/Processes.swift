import Testing

/// Fails unless the processes end; the killed children of a killed process are reaped by init,
/// whenever that one gets to it.
func expectEnd(of processes: [Int32]) async throws {
  for process in processes {
    for _ in 0..<2_000 where processExists(process) {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(!processExists(process), "process \(process) is still there")
  }
}
