package import CommandOutput
package import Languages
import LoanCatalogue
import LoanRules
package import Loans
package import ReminderSchedule
package import ReminderService

/// A list for staff.
package struct StaffList {
  /// The subject of the list.
  package enum Kind: String, CaseIterable {
    /// The books to look for on the shelf, before their borrowers get a notice that they have expired, and
    /// those that are lost or claimed returned.
    case shelf
    /// The borrowers to telephone, since they cannot be written to.
    case call
    /// The same borrowers, to write letters to.
    case letters
  }

  /// A loan in every version of its catalogue.
  private struct Key: Hashable {
    var catalogue: String
    var identity: LoanIdentity
  }

  package let kind: Kind
  /// The days ahead for which the shelf is searched; 0 is today.
  package let days: Int
  /// What the borrowers' names contain; `nil` for any.
  package let borrower: String?
  /// The most borrowers that an address may have.
  package let mostBorrowers: Int
  package private(set) var loans: [ListedLoan] = []
  /// The loans that may be listed, since the schedule does not keep all of their texts.
  private var read: [Key: Loan] = [:]

  package init(_ kind: Kind, days: Int, borrower: String?, mostBorrowers: Int) {
    (self.kind, self.days, self.borrower) = (kind, days, borrower)
    self.mostBorrowers = mostBorrowers
  }

  /// Keeps a loan that was read, if it may be listed.
  ///
  /// - Parameters:
  ///   - catalogue: the name of its catalogue in the schedule.
  ///   - today: the day in the library.
  package mutating func note(_ loan: ReadLoan, of catalogue: String, today: CivilDate) {
    guard
      loan.status.needsAttention || loan.status.isWithheld
        || today.days(until: loan.expiration) < days
    else { return }
    let key = Key(catalogue: catalogue, identity: loan.record.identity)
    read[key] = loan.record.loan
  }

  /// Adds the loans of catalogues that have been read into a schedule.
  package mutating func add(
    _ names: [String], at now: CivilDateTime, _ schedule: ScheduleReader
  ) throws(ScheduleError) {
    let unusable = try schedule.unusableAddresses(mostBorrowers: mostBorrowers)
    let isOfShelf = kind == .shelf
    let open = try schedule.openLoans(
      at: isOfShelf ? CivilDateTime(now.date.adding(days: days)) : now, catalogues: names,
      withoutExpiredNotice: isOfShelf)
    let withheld = isOfShelf ? try schedule.withheldLoans(catalogues: names) : []
    let found = Set(withheld.map(\.id))
    for scheduled in withheld + open.filter({ !found.contains($0.id) }) {
      let key = Key(catalogue: scheduled.catalogue, identity: scheduled.identity)
      var listed = ListedLoan(
        loan: read[key] ?? scheduled.loan, catalogue: scheduled.catalogue,
        library: scheduled.library, today: now.date)
      if !listed.loan.borrower.fits(anyCase: borrower) { continue }
      if isOfShelf {
        // Notices that a loan has expired fire when a day begins.
        listed.noticeOn = (0...days).map { now.date.adding(days: $0) }
          .first { scheduled.plan.reached(at: CivilDateTime($0)) ?? 0 > 0 }
      } else {
        listed.fault = AddressFault(listed.loan.email, unusable)
      }
      if found.contains(scheduled.id) || listed.noticeOn != nil || listed.fault != nil {
        loans.append(listed)
      }
    }
  }

  /// Sorts the loans: in shelf order, or by borrower and expiration.
  package mutating func sort() {
    loans = loans.map { loan in
      (kind == .shelf ? loan.place : loan.loan.identity + ["\(loan.loan.expiration)"], loan)
    }.sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
  }

  /// The loans of each borrower.
  private var borrowers: [ArraySlice<ListedLoan>] {
    loans.indices.reduce(into: []) { borrowers, index in
      if borrowers.last?.last?.loan.identity == loans[index].loan.identity {
        borrowers[borrowers.count - 1].append(loans[index])
      } else {
        borrowers.append(loans[index...index])
      }
    }
  }

  /// The sentence for a list without loans.
  package var emptyWords: String {
    let place = borrower.map { "among borrowers named \($0.quoted()), " } ?? ""
    return place
      + (kind == .shelf
        ? "no notice that a loan has expired is due within \(counted(days, "day")), and no book is lost "
          + "or claimed returned"
        : "no borrower with a loan that needs attention lacks a usable e-mail address")
  }
}

// MARK: - Forms

extension StaffList {
  private var columns: [String] {
    kind == .letters ? ListedLoan.letterColumns : ListedLoan.columns
  }

  private var rows: [[JSONValue]] {
    if kind != .letters { return loans.map(\.values) }
    return borrowers.compactMap { $0.first?.letterValues($0) }
  }

  /// One JSON document.
  package var json: JSONValue {
    let rows = rows.map { JSONValue.object(zip(columns, $0).map { ($0, $1) }) }
    return .object([
      ("version", 1), ("list", .string(kind.rawValue)),
      (kind == .letters ? "borrowers" : "loans", .array(rows)),
    ])
  }

  /// Lines for a spreadsheet, after one with the names of the columns.
  package var csv: String { ([columns.map { .string($0) }] + rows).map(CSV.line).joined() }

  /// The columns of the table.
  package func tableColumns(in language: Language) -> [TextTable.Column] {
    func column(_ heading: Message, least: Int = .max, rank: Int = 0) -> TextTable.Column {
      TextTable.Column(language.text(heading), least: least, rank: rank)
    }
    let (date, title) = (column(.dateColumn), column(.titleColumn, least: 20))
    let author = column(.authorColumn, least: 12, rank: 3)
    return switch kind {
    case .shelf:
      [
        column(.callNumberColumn, least: 12), column(.barcodeColumn, rank: 1), title, author,
        date, column(.noticeColumn, rank: 2),
      ]
    case .call:
      [
        date, column(.daysColumn, rank: 2), title, author,
        column(.libraryColumn, least: 8, rank: 4),
      ]
    case .letters:
      [
        column(.borrowerColumn, least: 12), column(.addressColumn, least: 20),
        column(.booksColumn), date, column(.titlesColumn, least: 20, rank: 1),
      ]
    }
  }

  /// The rows of the table, each with the heading of its group.
  package func tableRows(in language: Language) -> [(heading: String, cells: [String])] {
    if kind == .letters {
      return borrowers.compactMap { loans in
        guard let first = loans.first else { return nil }
        let titles = loans.map { $0.loan.shownTitle(in: language) }.joined(separator: "; ")
        let address = (loans.known(\.address) ?? "").visible
        let date = language.date(first.loan.expiration)
        return ("", [first.name(in: language), address, "\(loans.count)", date, titles])
      }
    }
    let hasLibraries = loans.contains { $0.library != nil }
    return loans.map { listed in
      let loan = listed.loan
      let texts = [loan.callNumber, loan.barcode, loan.author, listed.library]
        .map { ($0 ?? "").visible }
      let date = language.date(loan.expiration)
      let days =
        if let status = loan.status, status.isWithheld {
          language.text(status.word)
        } else {
          language.days(until: listed.noticeOn ?? loan.expiration, from: listed.today)
        }
      let title = loan.shownTitle(in: language)
      if kind == .call {
        let heading = listed.borrowerHeading(in: language)
        return (heading, [date, days, title, texts[2], texts[3]])
      }
      let heading = listed.library == nil ? language.text(.noLibraryGroup) : texts[3]
      return (hasLibraries ? heading : "", [texts[0], texts[1], title, texts[2], date, days])
    }
  }
}
