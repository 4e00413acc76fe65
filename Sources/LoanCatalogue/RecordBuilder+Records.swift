import Loans

/// A record whose values may not all have been found when it ends.
struct OpenRecord {
  fileprivate var record: DraftCopy
  fileprivate var values: ScopeValues
  fileprivate var places: ValuePlaces
  fileprivate var plans: [Int]
  fileprivate var expirationElement: RecordBuilder.ExpirationElement
  fileprivate var hasNotedID: Bool
  fileprivate var findings: FindingList.Suspended
  /// What was found in the elements around it that have ended since, by their scopes.
  fileprivate var contexts: [Int: ScopeValues] = [:]
  /// The depth of the element whose end it waits for; 0 for the document's.
  fileprivate var waitDepth: Int
}

/// What is to be handed over once something else is known.
enum PendingItem {
  case record(OpenRecord)
  case findings([Diagnostic])
}

/// What a record may refer to.
struct LookupEntry {
  fileprivate var fields: [(field: LoanField, text: [UInt8], isShared: Bool)]
}

/// What records may refer to, by its lookup and its key; only made where a profile has any, since
/// most runs are short and a dictionary's type costs time.
final class FoundLookups {
  fileprivate var entries: [Int: [[UInt8]: LookupEntry]] = [:]
}

/// A field's text, put together.
private struct SourceValue {
  var text: [UInt8]
  /// Where its first part stands.
  var extent: ValueExtent?
  /// Where the element of its first part begins.
  var start: SourceLocation
}

// The end of a record.
extension RecordBuilder {
  mutating func endRecord() {
    var waitDepth: Int?
    if let plan = recordPlans.first {
      waitDepth = refersToUnknown(plan) ? 0 : tree.records[plan].waitDepth
    }
    guard waitDepth == nil && pending.isEmpty else {
      wait(until: waitDepth ?? .max)
      return
    }
    finishRecord()
  }

  @inline(__always)
  private func refersToUnknown(_ plan: Int) -> Bool {
    tree.records[plan].references.contains { found($0.lookup, of: key($0.slot)) == nil }
  }

  private func key(_ slot: Int) -> ArraySlice<UInt8>? {
    let scope = tree.slots[slot].scope
    return scopes[scope].first(of: slot).map { scopes[scope].text(of: $0) }
  }

  private func found(_ lookup: Int, of key: ArraySlice<UInt8>?) -> LookupEntry? {
    key.flatMap { lookups?.entries[lookup]?[Array($0)] }
  }

  private mutating func wait(until depth: Int) {
    let scope = recordPlans.first.map { tree.records[$0].scope }
    pending.append(
      .record(
        OpenRecord(
          record: record.copy, values: scope.map { scopes[$0] } ?? ScopeValues(), places: places,
          plans: recordPlans, expirationElement: expirationElement, hasNotedID: hasNotedID,
          findings: findings.suspend(), waitDepth: depth)))
  }

  /// Keeps what was found in an element that ends for the records inside that still wait.
  mutating func keepContext(_ scope: Int) {
    for index in pendingCounts[scope]..<max(pending.count, pendingCounts[scope]) {
      guard case .record(var open) = pending[index] else { continue }
      open.contexts[scope] = scopes[scope]
      pending[index] = .record(open)
    }
  }

  /// Finishes the records that wait, unless one of them waits for an element further out.
  mutating func finishPending(waitingFor depth: Int) {
    let mustWait = pending.contains { item in
      if case .record(let open) = item { open.waitDepth < depth } else { false }
    }
    guard !mustWait, !pending.isEmpty else { return }
    let items = pending
    let atHand = (record.copy, places, recordPlans, expirationElement, hasNotedID)
    let suspended = findings.suspend()
    let wasInRecord = isInRecord
    pending.removeAll()
    for scope in pendingCounts.indices { pendingCounts[scope] = 0 }
    for item in items {
      switch item {
      case .findings(let diagnostics): handOver(diagnostics)
      case .record(let open): finish(open)
      }
    }
    record.restore(atHand.0)
    (_, places, recordPlans, expirationElement, hasNotedID) = atHand
    findings.resume(suspended)
    isInRecord = wasInRecord
  }

  private mutating func finish(_ open: OpenRecord) {
    record.restore(open.record)
    places = open.places
    recordPlans = open.plans
    expirationElement = open.expirationElement
    hasNotedID = open.hasNotedID
    for (scope, values) in open.contexts { scopes[scope] = values }
    if let plan = recordPlans.first { scopes[tree.records[plan].scope] = open.values }
    isInRecord = true
    findings.resume(open.findings)
    finishRecord()
  }

  mutating func finishRecord() {
    if tree.isFlat {
      judgeRecord(nil)
    } else if let plan = recordPlans.first {
      judgeRecord(tree.records[plan])
    }
    if log == nil {
      completeRecord()
    } else {
      logRecord()
    }
  }

  /// Finds what is wrong with the record alone.
  ///
  /// - Parameter plan: `nil` if each field has gone to the record at once.
  private mutating func judgeRecord(_ plan: ProfileTree.RecordPlan?) {
    let plan = plan.flatMap { $0.isDirect ? nil : $0 }
    if let plan { fill(plan) }
    if record.isEmpty(.title) && profile.tells(.title) { findMissingTitle() }
    if let plan { judgeExpiration(plan) } else { judgeExpirationElement() }
    judgeTexts()
    hashes = record.hashes(
      isWanted: reader.detail == .loans, ofLoan: reader.rules.findsDuplicateLoans)
  }

  /// Finds what is wrong with the record beside those before it, and hands it over.
  mutating func completeRecord() {
    summary.records += 1
    guard !recordPlans.isEmpty else {
      summary.onShelf += 1
      if !findings.isEmpty { handOverFindings(owner) }
      if reader.detail == .loans && failure == nil { handOver() }
      return
    }
    switch record.facts.expiration {
    case .date: summary.loans += 1
    case .none where profile.isNative: summary.onShelf += 1
    case .none: summary.withoutExpiration += 1
    case .unusable: break
    }
    noteID()
    if reader.rules.findsDuplicateLoans { findDuplicateLoan() }
    if record.isEmpty(.id) && reader.detail == .loans, record.facts.expiration != .none,
      let known = identities.note(record.baseKey, line: record.facts.location.line)
    {
      record.facts.ordinal = known.ordinal
    }
    if !findings.isEmpty { handOverFindings(owner) }
    if reader.detail == .loans && failure == nil { handOver() }
  }

  /// Looks whether the id is new, if there is one.
  mutating func noteID() {
    guard !record.isEmpty(.id), !hasNotedID else { return }
    hasNotedID = true
    guard let known = noteIdentity() else { return }
    record.facts.ordinal = known.ordinal
    let nowhere = ValueExtent(start: record.facts.location, end: record.facts.location)
    findDuplicateID(firstLine: known.firstLine, at: places[.id] ?? nowhere)
  }

  private mutating func noteIdentity() -> (firstLine: Int, ordinal: Int)? {
    let line = record.facts.location.line
    if record.facts.isIDShared { return identities.note(record.baseKey, line: line) }
    return record.withValue(of: .id) { identities.note(.id, $0, line: line) }
  }
}

// Filling the fields that have more than one source.
extension RecordBuilder {
  private mutating func fill(_ plan: ProfileTree.RecordPlan) {
    loanedForms = [.dotted]
    for source in plan.sources where source.field != .expiration && record.isEmpty(source.field) {
      guard let value = value(of: source) else { continue }
      fill(source.field, value)
      if source.field == .loaned { loanedForms = source.forms }
      if source.field == .id { record.facts.isIDShared = source.isShared }
    }
    for (slot, lookup) in plan.references {
      guard let entry = found(lookup, of: key(slot)) else { continue }
      for (field, text, isShared) in entry.fields where record.isEmpty(field) {
        fill(field, SourceValue(text: text, start: record.facts.location))
        if field == .id { record.facts.isIDShared = isShared }
      }
    }
  }

  private mutating func fill(_ field: LoanField, _ value: SourceValue) {
    record.beginField()
    record.append(value.text)
    record.endField(field)
    if let extent = value.extent { places.extend(field, extent) }
  }

  /// The text of a source, or `nil` if it has none; of a date the first part has to be there.
  private func value(of source: ProfileTree.Source) -> SourceValue? {
    var whole: SourceValue?
    for (index, slot) in source.slots.enumerated() {
      let values = scopes[tree.slots[slot].scope]
      guard let value = first(of: slot, for: source) else {
        if index == 0 && !source.forms.isEmpty { return nil }
        continue
      }
      let text = values.text(of: value)
      if whole == nil {
        whole = SourceValue(text: Array(text), extent: value.extent, start: value.start)
      } else {
        whole?.text.append(0x20)
        whole?.text.append(contentsOf: text)
      }
    }
    return whole
  }

  /// The first value that says something.
  private func first(of slot: Int, for source: ProfileTree.Source) -> ScopeValues.Value? {
    let values = scopes[tree.slots[slot].scope]
    return values.all(of: slot).first { value in
      !values.text(of: value).isEmpty && !isAbsence(values.text(of: value), of: source)
    }
  }

  /// Whether a text means that nothing is there: so does every date that is only zeros.
  private func isAbsence(_ text: ArraySlice<UInt8>, of source: ProfileTree.Source) -> Bool {
    if source.absences.contains(where: { text.elementsEqual($0) }) { return true }
    guard !source.forms.isEmpty, !profile.isNative else { return false }
    return text.allSatisfy { "0-/.: TZ".utf8.contains($0) }
      && text.count { $0 == UInt8(ascii: "0") } >= 6
  }

  /// Keeps what a record may refer to.
  mutating func keepLookup(_ lookup: Int) {
    let plan = tree.lookups[lookup]
    guard let key = scopes[plan.scope].first(of: plan.keySlot) else { return }
    let text = Array(scopes[plan.scope].text(of: key))
    let lookups = lookups ?? FoundLookups()
    self.lookups = lookups
    guard lookups.entries[lookup]?[text] == nil else { return }
    var entry = LookupEntry(fields: [])
    for source in plan.sources where !entry.fields.contains(where: { $0.field == source.field }) {
      if let value = value(of: source) {
        entry.fields.append((source.field, value.text, source.isShared))
      }
    }
    lookups.entries[lookup, default: [:]][text] = entry
  }
}

// Judging values.
extension RecordBuilder {
  private mutating func judgeExpiration(_ plan: ProfileTree.RecordPlan) {
    if plan.sources.contains(where: { $0.field == .expiration }) {
      judgeExpirationSources(plan)
    } else {
      judgeExpirationElement()
    }
  }

  private mutating func judgeExpirationElement() {
    switch expirationElement.count {
    case 0: endWithoutExpiration()
    case 1: readExpiration()
    default: record.facts.expiration = .unusable
    }
  }

  private mutating func endWithoutExpiration() {
    if reader.rules.requiresExpiration { findMissingExpiration() }
  }

  private mutating func readExpiration() {
    record.facts.expiration = .unusable
    guard !record.isEmpty(.expiration), let place = places[.expiration] else {
      if expirationElement.hasMarkup {
        findMarkup(at: expirationElement.start, text: "")
      } else {
        findEmptyExpiration(at: expirationElement.start)
      }
      return
    }
    guard !expirationElement.hasMarkup else {
      findMarkup(at: place.start, text: record.text(of: .expiration) ?? "")
      return
    }
    do throws(CivilDate.ParseFailure) {
      let date = try record.withValue(of: .expiration) { value throws(CivilDate.ParseFailure) in
        try CivilDate(dotted: value)
      }
      take(date, time: nil)
    } catch {
      findBadDate(error, .expiration)
    }
  }

  private mutating func take(_ date: CivilDate, time: CivilTime?) {
    record.facts.expiration = .date(date)
    record.facts.expirationTime = time
    if let finding = reader.rules.expiration(date) { findInValue(of: .expiration, finding) }
  }

  private mutating func judgeExpirationSources(_ plan: ProfileTree.RecordPlan) {
    /// Where the day of lending stands, if the days of a loan are not known.
    var uncounted: SourceValue?
    for source in plan.sources where source.field == .expiration {
      guard let value = value(of: source) else { continue }
      if source.countsFromLoan && reader.loanDays == nil {
        uncounted = uncounted ?? value
        continue
      }
      fill(.expiration, value)
      record.facts.expiration = .unusable
      if let other = contradiction(of: source) {
        expirationElement.start = value.start
        findDuplicateExpiration(at: other.start)
      } else {
        readExpiration(source)
      }
      return
    }
    if profile.isStrict, let empty = emptyExpiration(plan) {
      record.facts.expiration = .unusable
      return findEmptyExpiration(at: empty.start)
    }
    if !profile.isNative && !hasSomeExpiration(plan) { summary.undated += 1 }
    if let uncounted, !plan.sources.contains(where: \.isExpirationItself) {
      record.facts.expiration = .unusable
      findMissingLoanDays(at: uncounted.extent?.start ?? uncounted.start)
    } else {
      if uncounted != nil { summary.uncounted += 1 }
      endWithoutExpiration()
    }
  }

  private func hasSomeExpiration(_ plan: ProfileTree.RecordPlan) -> Bool {
    plan.sources.contains { source in
      source.field == .expiration
        && scopes[tree.slots[source.slots[0]].scope].values.contains { $0.slot == source.slots[0] }
    }
  }

  private func emptyExpiration(_ plan: ProfileTree.RecordPlan) -> ScopeValues.Value? {
    for source in plan.sources where source.isExpirationItself {
      let values = scopes[tree.slots[source.slots[0]].scope]
      let empty = values.all(of: source.slots[0]).first { values.text(of: $0).isEmpty }
      if let empty { return empty }
    }
    return nil
  }

  /// Another value that was found at the same path.
  private func contradiction(of source: ProfileTree.Source) -> ScopeValues.Value? {
    let values = scopes[tree.slots[source.slots[0]].scope]
    guard let first = first(of: source.slots[0], for: source) else { return nil }
    return values.all(of: source.slots[0]).first { value in
      !values.text(of: value).isEmpty && values.text(of: value) != values.text(of: first)
        && !isAbsence(values.text(of: value), of: source)
    }
  }

  private mutating func readExpiration(_ source: ProfileTree.Source) {
    do {
      guard let read = try read(.expiration, source.forms, source.countsFromLoan) else { return }
      guard source.countsFromLoan else { return take(read.date, time: read.time) }
      take(read.date.adding(days: reader.loanDays ?? 0), time: nil)
    } catch {
      failure = error
    }
  }

  /// Reads a date of one of these forms, or finds what is wrong with it.
  ///
  /// - Throws: what the reader's time zone throws.
  private mutating func read(
    _ field: LoanField, _ forms: [DateForm], _ isLendingDay: Bool = false
  ) throws -> (date: CivilDate, time: CivilTime?)? {
    var fault = CivilDate.ParseFailure.form
    for form in forms {
      let reading: DateForm.Reading
      do throws(CivilDate.ParseFailure) {
        reading = try form.read(record.value(of: field)[...])
      } catch {
        if error == .notADay { fault = error }
        continue
      }
      switch reading {
      case .civil(let date, let time):
        return (date, time?.worthTelling)
      case .instant(let instant):
        if let moment = try reader.civilTime(instant) {
          return (moment.date, moment.time.worthTelling)
        }
        // The last second of all years stands for "never", wherever the library is.
        return (instant < 0 ? .first : .last, nil)
      }
    }
    findBadDate(fault, field, forms: forms, isLendingDay: isLendingDay)
    return nil
  }

  private mutating func judgeTexts() {
    if let rule = reader.rules.period { judgeLoanDate(rule) }
    if let rule = reader.rules.isbn { judge(.isbn, rule) }
    if let rule = reader.rules.email { judge(.email, rule) }
  }

  private mutating func judgeLoanDate(_ rule: CatalogueRules.PeriodRule) {
    guard !record.isEmpty(.loaned) else { return }
    do {
      guard let loaned = try read(.loaned, loanedForms)?.date,
        case .date(let expiration) = record.facts.expiration
      else { return }
      if let finding = rule(loaned, expiration) { findInValue(of: .expiration, finding) }
    } catch {
      failure = error
    }
  }

  private mutating func judge(_ field: LoanField, _ rule: CatalogueRules.TextRule) {
    guard !record.isEmpty(field), let finding = record.withValue(of: field, rule) else { return }
    findInValue(of: field, finding)
  }
}

extension ProfileTree.Source {
  /// Whether it is the day on which a loan expires, not one to count from.
  fileprivate var isExpirationItself: Bool { field == .expiration && !countsFromLoan }
}

extension CivilTime {
  /// The time, unless it only stands for the whole day: its beginning or its end.
  fileprivate var worthTelling: CivilTime? {
    (1..<86_340).contains(secondOfDay) ? self : nil
  }
}
