import Glibc
import System
import Testing

@Suite struct CheckedOutputTests {
  @Test func `A full disk is reported`() {
    let descriptor = openForWriting("/dev/full")
    defer { close(descriptor) }
    let output = CheckedOutput(descriptor: descriptor)
    #expect(throws: OutputError(errno: ENOSPC, descriptor: descriptor)) {
      try output.write("Abigél")
      try output.flush()
    }
  }

  @Test func `A full disk is reported as soon as the buffer is full`() {
    let descriptor = openForWriting("/dev/full")
    defer { close(descriptor) }
    let output = CheckedOutput(descriptor: descriptor)
    #expect(throws: OutputError(errno: ENOSPC, descriptor: descriptor)) {
      try output.write(String(repeating: "x", count: 65_536))
    }
  }

  @Test func `A descriptor that is not open is reported`() {
    let output = CheckedOutput(descriptor: 1_000_000)
    #expect(throws: OutputError(errno: EBADF, descriptor: 1_000_000)) {
      try output.write("Abigél")
      try output.flush()
    }
  }

  @Test func `A pipe closed by its reader is an error, not a signal`() async {
    await #expect(processExitsWith: .success) {
      CheckedOutput.ignoreBrokenPipeSignal()
      let pipe = TestPipe()
      pipe.closeReadEnd()
      let output = CheckedOutput(descriptor: pipe.writeEnd)
      let error = #expect(throws: OutputError.self) {
        try output.write("Abigél")
        try output.flush()
      }
      #expect(error?.isBrokenPipe == true)
    }
  }

  @Test func `A full disk is not a broken pipe`() {
    #expect(!OutputError(errno: ENOSPC, descriptor: 1).isBrokenPipe)
  }

  @Test func `After a failure nothing more is written`() throws {
    let pipe = TestPipe(isNonBlocking: true)
    defer { pipe.closeReadEnd() }
    let output = CheckedOutput(descriptor: pipe.writeEnd)
    // For the failure, the number of the writing end stands for the reading end.
    let aside = fcntl(pipe.writeEnd, F_DUPFD_CLOEXEC, 0)
    defer { close(aside) }
    #expect(dup2(pipe.readEnd, pipe.writeEnd) == pipe.writeEnd)
    let failure = OutputError(errno: EBADF, descriptor: pipe.writeEnd)
    try output.write("lost")
    #expect(throws: failure) { try output.flush() }
    #expect(dup2(aside, pipe.writeEnd) == pipe.writeEnd)
    defer { pipe.closeWriteEnd() }
    #expect(throws: failure) { try output.write("late") }
    #expect(throws: failure) { try output.flush() }
    #expect(pipe.read(upTo: 100) == [])
  }

  @Test func `A little text waits for the flush`() throws {
    let pipe = TestPipe(isNonBlocking: true)
    defer { pipe.closeReadEnd() }
    defer { pipe.closeWriteEnd() }
    let output = CheckedOutput(descriptor: pipe.writeEnd)
    try output.write("Abi")
    try output.write("gél\n".utf8.span)
    #expect(pipe.read(upTo: 100) == [])
    try output.flush()
    #expect(pipe.read(upTo: 100) == Array("Abigél\n".utf8))
  }

  @Test(arguments: [false, true])
  func `Everything reaches a slow reader in order`(isNonBlocking: Bool) async {
    let pipe = TestPipe(isNonBlocking: isNonBlocking)
    defer { pipe.closeReadEnd() }
    async let received = onThread { pipe.readToEnd(pause: 500, chunk: 3_000) }
    let result = await onThread { writeLines(to: pipe) }
    #expect(result == nil)
    #expect(await received == numberedLines)
  }

  @Test func `Interrupted system calls are repeated`() async {
    await #expect(processExitsWith: .success) {
      let pipe = TestPipe()
      async let received = onThread { pipe.readToEnd(pause: 2_000, chunk: 9_000) }
      let result = await onThread { interrupted { writeLines(to: pipe) } }
      #expect(result == nil)
      #expect(await received == numberedLines)
    }
  }

  @Test func `One text larger than the buffer arrives whole`() async {
    let text = String(repeating: "Egri csillagok\n", count: 400_000)
    let pipe = TestPipe()
    defer { pipe.closeReadEnd() }
    async let received = onThread { pipe.readToEnd() }
    await onThread {
      let output = CheckedOutput(descriptor: pipe.writeEnd)
      #expect(throws: Never.self) {
        try output.write(text)
        try output.flush()
      }
      pipe.closeWriteEnd()
    }
    #expect(await received == Array(text.utf8))
  }

  @Test(arguments: [
    (Int32(1), ENOSPC, "cannot write to standard output: No space left on device"),
    (2, EPIPE, "cannot write to standard error: Broken pipe"),
    (7, EBADF, "cannot write to descriptor 7: Bad file descriptor"),
  ])
  func `The error says what could not be written`(descriptor: Int32, errno: Int32, text: String) {
    #expect(OutputError(errno: errno, descriptor: descriptor).description == text)
  }
}

private let numberedLines = (0..<60_000).flatMap { Array("\($0)\n".utf8) }

/// Writes the lines one by one, closes the pipe, and returns the error if there was one.
private func writeLines(to pipe: TestPipe) -> OutputError? {
  defer { pipe.closeWriteEnd() }
  let output = CheckedOutput(descriptor: pipe.writeEnd)
  do throws(OutputError) {
    for number in 0..<60_000 { try output.write("\(number)\n") }
    try output.flush()
    return nil
  } catch {
    return error
  }
}
