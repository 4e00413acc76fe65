import LoanCatalogue
import Loans
import ReminderSchedule
import ReminderService
import System

/// A catalogue that `watch` follows.
struct WatchedCatalogue {
  var entry: CatalogueToRead
  /// Whether it is to be read.
  var isUnread = true
  /// Whether it could be used when it was last read.
  private(set) var isUsable = true
  /// Whether it has been there since `watch` began.
  private var wasThere = false
  private var troubles = CatalogueTroubles()

  /// The time after which a catalogue that cannot be read is tried again, although no change was seen.
  private static let unreadablePause = Duration.seconds(60)

  init(_ entry: CatalogueToRead) { self.entry = entry }

  /// Takes in the findings of a reading.
  ///
  /// - Returns: the lines that hold now, `nil` if that is not certain yet, and after what time to read
  ///   it again, if at all.
  mutating func note(
    _ findings: CatalogueFindings, at moment: Duration
  ) -> (lines: [String]?, retry: Duration?) {
    isUnread = false
    isUsable = findings.isUsable
    if findings.isReadable || FileSystem.exists(entry.path) { wasThere = true }
    let path = entry.path.visible
    let found =
      wasThere ? findings.lines : ["check-loans: \(path) is not there yet; waiting for it"]
    let isKnownUnusable = troubles.isKnownUnusable
    guard var lines = troubles.note(found, isUsable: isUsable, at: moment) else {
      return (nil, CatalogueTroubles.delay)
    }
    if isUsable && isKnownUnusable {
      lines.append("check-loans: \(path): reloaded, \(counted(findings.loans, "loan"))")
    }
    return (lines, findings.isReadable ? nil : Self.unreadablePause)
  }
}

/// The problems of a catalogue that cannot be used.
///
/// It may be in the middle of being written: this is reported only if it is in the same state again
/// after ``delay``.
struct CatalogueTroubles {
  /// The time that a catalogue must be broken in the same way before that is reported.
  static let delay = Duration.seconds(1)

  private var suspicion: (lines: [String], since: Duration)?
  /// The lines with which it was reported that the catalogue cannot be used.
  private var reported: [String]?

  /// Whether it was reported that the catalogue cannot be used.
  var isKnownUnusable: Bool { reported != nil }

  /// Compares the findings of a reading with those before.
  ///
  /// - Parameters:
  ///   - lines: what there is to report about the catalogue.
  ///   - isUsable: whether it can be used in spite of that.
  ///   - moment: on a clock that never jumps.
  /// - Returns: the lines that hold now; `nil` if it is to be read again after ``delay`` first.
  mutating func note(_ lines: [String], isUsable: Bool, at moment: Duration) -> [String]? {
    if isUsable {
      (suspicion, reported) = (nil, nil)
    } else if reported != lines {
      if suspicion?.lines != lines { suspicion = (lines, moment) }
      guard let suspicion, moment - suspicion.since >= Self.delay else { return nil }
      (self.suspicion, reported) = (nil, lines)
    } else {
      suspicion = nil
    }
    return lines
  }
}

/// The result of one reading of a catalogue, and what there is to say about it, as lines for standard
/// error.
struct CatalogueFindings {
  let path: String
  /// Whether warnings are shown that hide no loan.
  let showsAll: Bool
  private(set) var lines: [String] = []
  /// Whether the catalogue could be read, to its end or not.
  private(set) var isReadable = true
  /// Whether the catalogue's part of the schedule is what it says.
  private(set) var isUsable = false
  /// The number of its loans, if it is usable.
  private(set) var loans = 0

  private static let most = 1_000

  init(path: String, showsAll: Bool) {
    self.path = path
    self.showsAll = showsAll
  }

  mutating func note(_ diagnostic: Diagnostic) {
    guard showsAll || diagnostic.mayHideALoan, lines.count <= Self.most else { return }
    if lines.count == Self.most {
      add("there is more; see check-loans validate")
    } else {
      lines.append(LocatedDiagnostic(path: path, diagnostic: diagnostic).line)
    }
  }

  mutating func note(_ report: ReloadReport) {
    switch report.outcome {
    case .replaced(let summary): (isUsable, loans) = (true, summary.loans)
    case .refusedEmpty(let stored): add(emptinessWords(stored: stored))
    case .kept: add("its reminders are unchanged until it is fixed")
    }
  }

  mutating func note(_ error: CatalogueError) {
    isReadable = false
    lines.append("check-loans: \(error); its reminders are unchanged")
  }

  private mutating func add(_ words: String) {
    lines.append("check-loans: \(path.visible): \(words)")
  }
}
