import Glibc

/// Threads that do the same work side by side, as many as the system lets start.
///
/// Dispatch would try for ever to start a thread that cannot be had.
@safe struct Workers: Sendable {
  private var threads: [pthread_t] = []

  /// What a thread is to do, behind a pointer.
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts them.
  ///
  /// - SeeAlso: `pthread_create(3)`.
  init(atMost count: Int, _ body: @escaping @Sendable () -> Void) {
    for _ in 0..<count {
      let work = unsafe Unmanaged.passRetained(Work(body))
      var thread = pthread_t()
      let result = unsafe pthread_create(&thread, nil, Self.start, work.toOpaque())
      guard result == 0 else {
        unsafe work.release()
        break
      }
      threads.append(thread)
    }
  }

  private static let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
    { work in
      if let work = unsafe work {
        unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
      }
      return nil
    }

  /// How many there are.
  var count: Int { threads.count }

  /// Waits until each has done its work; to be called once.
  ///
  /// - SeeAlso: `pthread_join(3)`.
  func join() {
    for thread in threads { pthread_join(thread, nil) }
  }

  /// Lets each do its work to its end, whenever that is.
  ///
  /// - SeeAlso: `pthread_detach(3)`.
  func detach() {
    for thread in threads { pthread_detach(thread) }
  }
}
