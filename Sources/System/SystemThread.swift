internal import Glibc
package import SystemPackage

/// A thread of its own; Dispatch would try for ever to start one that cannot be had.
package struct SystemThread: Sendable {
  private let number: pthread_t

  /// The work of a thread, as an object that a pointer can lead to.
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts a thread that runs `body`; it is to be joined or detached.
  ///
  /// - Throws: `Errno` if the system allows no more threads.
  /// - SeeAlso: `pthread_create(3)`.
  package init(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    let work = unsafe Unmanaged.passRetained(Work(body))
    var number = pthread_t()
    let error = unsafe pthread_create(
      &number, nil,
      { work in
        if let work = unsafe work {
          unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
        }
        return nil
      }, work.toOpaque())
    if error != 0 {
      unsafe work.release()
      throw Errno(rawValue: error)
    }
    self.number = number
  }

  /// Waits for the thread's end.
  ///
  /// - SeeAlso: `pthread_join(3)`.
  package func join() { pthread_join(number, nil) }

  /// Lets the thread run on; nobody waits for its end.
  ///
  /// - SeeAlso: `pthread_detach(3)`.
  package func detach() { pthread_detach(number) }
}
