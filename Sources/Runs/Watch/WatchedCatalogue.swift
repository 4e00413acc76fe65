import CommandOutput
import Loans
import System

/// The memory of `watch` about a catalogue.
///
/// A catalogue that cannot be used may be in the middle of being written: this is reported only if it
/// is in the same state again after ``delay``.
struct WatchedCatalogue {
  /// The time that a catalogue must be broken in the same way before that is reported.
  static let delay = Duration.seconds(1)
  /// The time after which a catalogue that cannot be read is tried again, although no change was seen.
  private static let unreadablePause = Duration.seconds(60)

  /// Whether it is to be read.
  var isUnread = true
  /// The day on which it was last read.
  var readOn: CivilDate?
  /// Whether it could be used when it was last read.
  private(set) var isUsable = true
  /// Whether it has been there since `watch` began.
  private var wasThere = false
  private var suspicion: (lines: [String], since: Duration)?
  /// Whether it was usable, and had errors in it, when it was last read.
  private var hadErrors = false
  /// The lines with which it was reported that it cannot be used.
  private var reported: [String]?

  /// Takes in the findings of a reading.
  ///
  /// - Parameters:
  ///   - lines: the lines that the reading has printed.
  ///   - moment: when that was, on a clock that never jumps.
  /// - Returns: the lines that hold now, `nil` if that is not certain yet, and after what time to read
  ///   it again, if at all.
  mutating func note(
    _ findings: CatalogueFindings, _ lines: [String], path: String, file: String,
    at moment: Duration
  ) -> (lines: [String]?, retry: Duration?) {
    isUnread = false
    isUsable = findings.isUsable
    if findings.failure == nil || FileSystem.exists(file) { wasThere = true }
    var lines =
      wasThere ? lines : ["check-loans: \(path.visible) is not there yet; waiting for it"]
    if isUsable {
      let isMended = hadErrors && findings.status == .done
      if reported != nil || isMended {
        lines.append(
          "check-loans: \(path.visible): reloaded, \(counted(findings.loans, "loan"))")
      }
      (suspicion, reported, hadErrors) = (nil, nil, findings.status != .done)
      return (lines, nil)
    }
    if reported != lines {
      if suspicion?.lines != lines { suspicion = (lines, moment) }
      guard let suspicion, moment - suspicion.since >= Self.delay else { return (nil, Self.delay) }
      reported = lines
    }
    suspicion = nil
    return (lines, findings.failure == nil ? nil : Self.unreadablePause)
  }
}
