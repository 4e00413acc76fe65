import Loans

/// Makes records and diagnostics out of a document's elements and texts.
///
/// It knows the profile but not the parser: the parser tells it names as ``ElementName``, and the
/// places where things begin.
struct RecordBuilder: ~Copyable {
  /// What a document is read for.
  enum Purpose: Equatable {
    /// Its loans.
    case reading
    /// Its loans, if the root element is the profile's; else nothing.
    case trial
    /// To know whether it is of the profile's form.
    case detection
  }

  let reader: CatalogueReader
  let profile: CatalogueProfile
  let tree: ProfileTree
  private(set) var purpose: Purpose
  private let use: (ReadingEvent) throws -> Void

  var summary = CatalogueSummary()
  /// What a closure threw; nothing more is handed over after it.
  var failure: (any Error)?

  // Where the parser stands.
  private var depth = 0
  /// Elements that are open and mean nothing, the innermost ones.
  private var skipped = 0
  var walk: ProfileWalk
  private var state = ProfileWalk.document
  var root: RootElement?
  /// What detection has found out; nothing more is wanted then.
  private(set) var verdict: Verdict?
  /// For each open element whose end decides whether what is found inside it counts, the innermost
  /// last: how many values each of its gate's scopes had before.
  private var openGates: [[Int]] = []
  var scopes: [ScopeValues]

  // The text that the parser stands in, if it is wanted.
  private(set) var isCapturing = false
  /// Whether the place of the text is wanted.
  private(set) var wantsPlace = false
  /// A bit for each field whose place is wanted where it goes to the record at once.
  private let placedFields: UInt16
  /// The field that the text goes to, without a detour.
  private var field: LoanField?
  /// Whether nothing but that field ends with its element, and which state is around it.
  private var endsPlainly = false
  private var parentOfField = ProfileWalk.document
  /// The other texts that are wanted, those of the outer elements first.
  private var captures: [Capture] = [] {
    didSet { isCapturing = field != nil || !captures.isEmpty }
  }
  /// Bytes of text so far that go to no field at once.
  private var captureLength = 0

  // The record at hand, those that wait, and what is known of all before.
  var isInRecord = false
  /// The plans that the record may be read by; none if its conditions do not hold.
  var recordPlans: [Int] = []
  var record = RecordDraft()
  /// Whether the record's id was looked at.
  var hasNotedID = false
  var places = ValuePlaces()
  /// What the record is known by.
  var hashes = RecordHashes()
  var expirationElement = ExpirationElement()
  var pending: [PendingItem] = []
  /// How many items waited when each scope began.
  var pendingCounts: [Int]
  /// What records refer to, if any do.
  var lookups: FoundLookups?
  var identities = IdentityTable()
  /// The barcodes of the loans seen so far.
  var barcodes = IdentityTable()
  /// The loans seen so far that have no barcode.
  var otherLoans = IdentityTable()
  /// The forms in which the day of lending of the record at hand is written.
  var loanedForms: [DateForm] = [.dotted]
  /// What was said last of a field's value, and where that stands; of a few fields at most.
  var told: [(field: LoanField, code: Diagnostic.Code, place: SourceLocation)] = []
  /// Whether it was told that the days of a loan must be given.
  var hasToldLoanDays = false

  var findings: FindingList
  /// Takes what there is in a part of the document, whose place in the whole is not known yet;
  /// `nil` where the document is read from its beginning.
  var log: RecordLog?
  /// Findings that are ready to be handed over; before the first record they wait, since that there
  /// is none would be told of the root, before them.
  private var held: [Diagnostic]
  /// Whether the parser stands in a child of the root that is a record but for its name's case.
  private var isInMisspelt = false
  /// The number of the name by which a stray expiration is known; 0 if none is looked for.
  private let strayName: Int

  init(
    reader: CatalogueReader, profile: CatalogueProfile, purpose: Purpose,
    warnings: [Diagnostic] = [], log: RecordLog? = nil,
    use: @escaping (ReadingEvent) throws -> Void
  ) {
    self.reader = reader
    self.profile = profile
    tree = profile.tree
    self.purpose = purpose
    self.use = use
    walk = ProfileWalk(tree)
    placedFields = LoanField.allCases.reduce(0) { fields, field in
      field == .id || reader.rules.judges(field) ? fields | field.bit : fields
    }
    scopes = Array(repeating: ScopeValues(), count: tree.scopeCount)
    pendingCounts = Array(repeating: 0, count: tree.scopeCount)
    var findings = FindingList(rules: reader.rules)
    for warning in warnings { findings.append(warning) }
    held = findings.drain(.document)
    self.findings = findings
    self.log = log
    strayName =
      profile.isNative ? tree.letters.firstIndex { $0.local == "expiration" } ?? 0 : 0
  }

  /// The document's first element.
  struct RootElement {
    var name: String
    var namespace: String?
    var location: SourceLocation
    var isKnown: Bool
    /// The first element inside, if there is one.
    var firstChild: String?
  }

  /// Whether a document is of a profile's form.
  enum Verdict: Equatable {
    /// It is, since there is what only this form has.
    case marked
    /// It can be.
    case possible
    case no
  }

  /// What is known of the expiration elements of a record whose expiration goes to it directly.
  struct ExpirationElement {
    var count = 0
    var start = SourceLocation(line: 1, column: 1)
    var hasMarkup = false
  }

  /// The text of an element that is wanted.
  private struct Capture {
    var state: Int
    var text: [UInt8] = []
    var start: SourceLocation
    var extent: ValueExtent?
  }

  /// Whether the text goes to a field, and nothing else of it is wanted.
  var goesToFieldOnly: Bool { field != nil && !wantsPlace }

  /// Whether no element has begun yet.
  var isBeforeRoot: Bool { root == nil }

  /// Whether the parser stands before the root element or behind it.
  var isOutsideRoot: Bool { depth == 0 }

  /// Whether the parser stands in the root element, outside its children.
  var isAtRoot: Bool { depth == 1 }

  /// Whether comments mean anything.
  var heedsComments: Bool { reader.rules.heedsComments && purpose != .detection }

  /// Whether the document is read no further.
  var isDecided: Bool {
    switch purpose {
    case .reading: false
    case .trial: verdict == .no
    case .detection: verdict != nil
    }
  }

  /// Whether it is known that the document is read to its end.
  var isReading: Bool { purpose == .reading || purpose == .trial && verdict != .no }

  /// Reads on whatever the root element is, since the document cannot be read again.
  mutating func goOnReading() {
    if purpose == .trial { purpose = .reading }
  }

  /// The longest text of one field, in bytes; libxml2's own limit for a text node.
  private static let longestField = 10_000_000
}

// Elements.
extension RecordBuilder {
  /// What the parser has to do about an element that has just begun.
  enum Element: Equatable {
    case other
    /// Its attributes are wanted.
    case attributes
    /// What it is depends on its attributes: on which of the tests it passes.
    case conditional
  }

  /// Which attribute is wanted of the flat record that has just begun, and for which field.
  var flatAttribute: (number: Int, field: LoanField)? { walk.states[state].flatAttribute }

  /// The tests that decide what an element is.
  func tests(of name: ElementName) -> [Int] { walk.tests(from: state, name: name.number) }

  /// How many values are wanted of the attributes of the element that has just begun.
  var attributeSlotCount: Int { walk.states[state].attributeSlots.count }

  /// Which attribute's value is wanted, and where it belongs.
  func attributeSlot(_ index: Int) -> (attribute: Int, slot: Int) {
    walk.states[state].attributeSlots[index]
  }

  mutating func startElement(
    _ name: ElementName, named text: @autoclosure () -> String,
    namespace: @autoclosure () -> String?, at start: SourceLocation
  ) -> Element {
    depth += 1
    if depth == 1 {
      root = RootElement(name: text(), namespace: namespace(), location: start, isKnown: false)
    } else if depth == 2 && root?.isKnown == false && root?.firstChild == nil {
      root?.firstChild = text()
    }
    guard skipped == 0 else {
      skip(name, at: start)
      return .other
    }
    let move = walk.move(from: state, name: name.number)
    if move == .nowhere && name.intended != 0 { lookAtCase(of: name, text, at: start) }
    return follow(move, name, at: start)
  }

  /// Goes on with an element that depended on its attributes.
  ///
  /// - Parameter passed: a bit for each of the tree's tests.
  mutating func startElement(
    _ name: ElementName, passed: UInt64, at start: SourceLocation
  ) -> Element {
    follow(walk.move(from: state, name: name.number, passed: passed), name, at: start)
  }

  private mutating func follow(
    _ move: ProfileWalk.Move, _ name: ElementName, at start: SourceLocation
  ) -> Element {
    if depth == 1 && move != .conditional { noteRoot(isKnown: move != .nowhere) }
    switch move {
    case .conditional:
      return .conditional
    case .nowhere:
      skip(name, at: start)
      return .other
    case .to(let next):
      state = next
      if !walk.states[next].isPlain { open(at: start) }
      if !walk.states[next].textSlots.isEmpty { startCapture(at: start) }
      return walk.states[next].attributeSlots.isEmpty ? .other : .attributes
    }
  }

  private mutating func noteRoot(isKnown: Bool) {
    root?.isKnown = isKnown
    // An envelope or an error's root is known, but tells nothing of loans.
    summary.isKnownForm =
      isKnown
      && profile.records.contains { path in
        [root?.name, "*"].contains(path.steps.first?.name.local)
      }
    summary.profile = isKnown && !profile.records.isEmpty ? profile.name : nil
    verdict = isKnown ? (tree.hasMarks ? nil : .possible) : .no
  }

  /// Notes an element that means nothing.
  private mutating func skip(_ name: ElementName, at start: SourceLocation) {
    skipped += 1
    guard strayName != 0, root?.isKnown == true else { return }
    if field == .expiration {
      expirationElement.hasMarkup = true
    } else if name.number == strayName && !isInMisspelt {
      findMisplaced(at: start)
    }
  }

  private mutating func lookAtCase(
    of name: ElementName, _ text: () -> String, at start: SourceLocation
  ) {
    guard depth > 1, case .to = walk.move(from: state, name: name.intended) else { return }
    if depth == 2 { isInMisspelt = true }
    findWrongCase(text(), intended: tree.letters[name.intended].local, at: start)
  }

  /// Begins what begins with the element of the state.
  private mutating func open(at start: SourceLocation) {
    // By their numbers, since to walk through an array costs more than what is in it.
    for index in walk.states[state].scopes.indices {
      let scope = walk.states[state].scopes[index]
      guard scope != ProfileTree.document else { continue }
      scopes[scope].removeAll()
      pendingCounts[scope] = pending.count
    }
    for index in walk.states[state].gates.indices {
      let gate = walk.states[state].gates[index]
      openGates.append(tree.gates[gate].scopes.map { scopes[$0].values.count })
    }
    if walk.states[state].isMark { verdict = .marked }
    if !walk.states[state].records.isEmpty { beginRecord(at: start) }
  }

  private mutating func beginRecord(at start: SourceLocation) {
    beginBook()
    if recordPlans.isEmpty || !tree.isFlat { recordPlans = walk.states[state].records }
    record.begin(at: start, keepsOthers: log != nil)
    places.removeAll()
    expirationElement = ExpirationElement()
  }

  /// Begins a record, as far as those before it are concerned.
  mutating func beginBook() {
    if !held.isEmpty { handOverHeld() }
    isInRecord = true
    hasNotedID = false
    findings.beginBook()
  }

  /// Whether the element would be a record directly inside the root element, of which each field
  /// goes to it at once.
  mutating func isFlatRecord(_ name: ElementName) -> Bool {
    guard depth == 1, skipped == 0, !isCapturing, tree.isFlat, isReading,
      case .to = walk.move(from: state, name: name.number)
    else { return false }
    return walk.recordMove(from: state, name: name.number) != nil
  }

  /// Begins a record of which each field goes to it at once.
  ///
  /// - Returns: false if it may be another one.
  @inline(__always)
  mutating func startFlatRecord(_ name: ElementName, at start: SourceLocation) -> Bool {
    guard skipped == 0, !isCapturing, let next = walk.recordMove(from: state, name: name.number)
    else { return false }
    depth += 1
    state = next
    beginRecord(at: start)
    return true
  }

  /// Begins an element whose text goes to a field at once, as most do that mean something.
  ///
  /// - Returns: false if it may be another one.
  @inline(__always)
  mutating func startField(
    _ name: ElementName, at start: @autoclosure () -> SourceLocation
  ) -> Bool {
    guard skipped == 0, !isCapturing,
      let move = walk.fieldMove(from: state, name: name.number)
    else { return false }
    if move.field == .expiration {
      guard expirationElement.count == 0 else { return false }
      expirationElement.count = 1
      expirationElement.start = start()
    }
    depth &+= 1
    parentOfField = state
    endsPlainly = true
    state = move.state
    startText(of: move.field)
    return true
  }

  /// Notes an element that means nothing where it stands, as most do.
  ///
  /// - Returns: false if it may mean something after all.
  @inline(__always)
  mutating func skipElement(_ name: ElementName) -> Bool {
    guard name.isUnknown, depth > 1, field == nil, skipped > 0 || !tree.hasAnyName else {
      return false
    }
    depth &+= 1
    skipped &+= 1
    return true
  }

  /// Ends an element that means nothing, or whose text goes to a field at once.
  ///
  /// - Returns: false if it may be another one; then nothing has changed.
  @inline(__always)
  mutating func endOrdinaryElement() -> Bool {
    guard depth > 2 else { return false }
    if skipped > 0 {
      skipped &-= 1
    } else {
      guard endsPlainly, let field else { return false }
      endText(of: field)
      state = parentOfField
    }
    depth &-= 1
    return true
  }

  mutating func endElement() {
    depth -= 1
    if skipped > 0 {
      skipped -= 1
      if depth == 1 { endChildOfRoot() }
    } else {
      endMeaningfulElement()
    }
  }

  private mutating func endMeaningfulElement() {
    if let field {
      endText(of: field)
    } else if !captures.isEmpty && captures[captures.count - 1].state == state {
      endCapture()
    }
    if walk.states[state].isFlatRecord {
      finishRecord()
      isInRecord = false
    } else if !walk.states[state].isPlain {
      close()
    }
    state = walk.states[state].parent
    if depth == 1 { endChildOfRoot() }
  }

  /// Ends what ends with the element of the state.
  private mutating func close() {
    for index in walk.states[state].gates.indices.reversed() {
      closeGate(walk.states[state].gates[index])
    }
    for index in walk.states[state].lookups.indices {
      keepLookup(walk.states[state].lookups[index])
    }
    if !walk.states[state].records.isEmpty {
      endRecord()
      isInRecord = false
    }
    if !pending.isEmpty {
      for scope in walk.states[state].scopes where tree.enclosingScopes.contains(scope) {
        keepContext(scope)
      }
      finishPending(waitingFor: depth + 1)
    }
  }

  private mutating func closeGate(_ gate: Int) {
    guard let counts = openGates.popLast() else { return }
    let plan = tree.gates[gate]
    let isOpen = plan.conditions.allSatisfy { condition, slot in
      let values = scopes[plan.scope]
      return condition.isFulfilled(by: values.all(of: slot).map { values.text(of: $0) })
    }
    guard !isOpen else { return }
    if let record = plan.record { recordPlans.removeAll { $0 == record } }
    for (scope, count) in zip(plan.scopes, counts) where scopes[scope].values.count > count {
      scopes[scope].removeValues(since: count, of: plan.slots)
    }
  }

  mutating func endChildOfRoot() {
    isInMisspelt = false
    guard !isInRecord, !findings.isEmpty else { return }
    guard log == nil else {
      log?.endChild(findings.takeAll())
      return
    }
    // Comments before it are about it, not about the next book.
    findings.beginBook()
    if summary.records == 0 && pending.isEmpty {
      holdFindings()
    } else {
      handOverFindings(.document)
    }
  }
}

// Texts.
extension RecordBuilder {
  private mutating func startCapture(at start: SourceLocation) {
    let slots = walk.states[state].textSlots
    // An attribute of the element may go to another field at once, before its text does.
    let isAlone =
      slots.count == 1 && captures.isEmpty && walk.states[state].isLeaf
      && walk.states[state].attributeSlots.isEmpty
    field = isAlone ? tree.slots[slots[0]].field : nil
    if field == .expiration, profile.isStrict {
      expirationElement.count += 1
      guard expirationElement.count == 1 else {
        if expirationElement.count == 2 { findDuplicateExpiration(at: start) }
        field = nil
        // Nothing of it is wanted.
        state = walk.states[state].parent
        skipped += 1
        return
      }
      expirationElement.start = start
    }
    if let field {
      endsPlainly = false
      startText(of: field)
    } else {
      if captures.isEmpty { captureLength = 0 }
      wantsPlace = true
      captures.append(Capture(state: state, start: start))
    }
  }

  /// Whether the place of the field's value is wanted where it goes to the record at once.
  @inline(__always)
  private func isPlaced(_ field: LoanField) -> Bool {
    placedFields & field.bit != 0
  }

  @inline(__always)
  private mutating func endText(of field: LoanField) {
    record.endField(field)
    self.field = nil
    isCapturing = false
  }

  @inline(__always)
  private mutating func startText(of field: LoanField) {
    self.field = field
    isCapturing = true
    wantsPlace = isPlaced(field) && record.isEmpty(field)
    record.beginField()
  }

  /// Takes text that goes to a field at once.
  ///
  /// - Returns: false if it has grown beyond what is reasonable.
  @inline(__always)
  mutating func appendToField(_ text: Span<UInt8>) -> Bool {
    record.append(text)
    return record.fieldLength <= Self.longestField
  }

  /// Takes text that is wanted.
  ///
  /// - Returns: false if it has grown beyond what is reasonable.
  @inline(__always)
  mutating func append(_ text: Span<UInt8>) -> Bool {
    if field != nil { return appendToField(text) }
    captureLength += text.count
    for index in captures.indices { captures[index].text += [UInt8](copying: text) }
    return captureLength <= Self.longestField
  }

  /// Notes where a part of the text that is not white space stands.
  mutating func extendValue(from start: SourceLocation, to end: SourceLocation) {
    if let field {
      places.extend(field, ValueExtent(start: start, end: end))
    } else {
      for index in captures.indices {
        captures[index].extent = ValueExtent(
          start: captures[index].extent?.start ?? start, end: end)
      }
    }
  }

  private mutating func endCapture() {
    guard let capture = captures.popLast() else { return }
    for slot in walk.states[state].textSlots {
      keep(capture.text, in: slot, start: capture.start, extent: capture.extent)
    }
  }

  private mutating func keep(
    _ text: some Sequence<UInt8>, in slot: Int, start: SourceLocation, extent: ValueExtent?
  ) {
    if let field = tree.slots[slot].field {
      let isFirst = record.isEmpty(field)
      record.beginField()
      record.append(text)
      record.endField(field)
      if isFirst, let extent { places.extend(field, extent) }
    } else if !isSuperfluous(slot) {
      scopes[tree.slots[slot].scope].append(text, to: slot, start: start, extent: extent)
    }
  }

  /// Whether the slot has a value that will count: of what encloses records, thousands of values
  /// could pile up.
  private func isSuperfluous(_ slot: Int) -> Bool {
    openGates.isEmpty && !isInRecord && scopes[tree.slots[slot].scope].first(of: slot) != nil
  }

  /// Takes the value of an attribute that is wanted.
  ///
  /// - Parameter extent: where the value stands.
  mutating func takeAttribute(
    _ text: some Sequence<UInt8>, in slot: Int, tagStart: SourceLocation, extent: () -> ValueExtent
  ) {
    let isPlaced = tree.slots[slot].field.map { self.isPlaced($0) } ?? true
    keep(text, in: slot, start: tagStart, extent: isPlaced ? extent() : nil)
  }

  /// Takes the value of a flat record's attribute.
  ///
  /// - Parameter extent: where the value stands.
  @inline(__always)
  mutating func takeFlatAttribute(
    _ text: Span<UInt8>, in field: LoanField, extent: () -> ValueExtent
  ) {
    guard record.isEmpty(field) else { return }
    record.beginField()
    record.append(text)
    record.endField(field)
    if isPlaced(field) { places.extend(field, extent()) }
  }

  /// Takes a comment that speaks to the reader.
  mutating func take(_ comment: IgnoreComment, at start: SourceLocation) {
    switch comment {
    case .mistaken(let message):
      find(.unusedIgnore, at: start, message)
    case .ignore where isInRecord:
      find(
        .unusedIgnore, at: start,
        "this comment stands inside a book, where it silences nothing; move it before the book")
    case .ignore(let codes) where log != nil:
      log?.ignore(codes, at: start)
    case .ignore(let codes):
      findings.ignore(codes, at: start)
    }
  }
}

// Handing over.
extension RecordBuilder {
  func tellProgress(bytes: Int, of total: Int?) {
    guard let onProgress = reader.onProgress, log == nil, purpose != .detection else { return }
    onProgress(ReadingProgress(bytes: bytes, total: total, loans: summary.loans))
  }

  mutating func handOver() {
    do { try use(.record(record.record(hashes))) } catch { failure = error }
  }

  /// Ends the reading at a fault in the document itself.
  mutating func endEarly(_ diagnostic: Diagnostic) {
    guard log == nil else {
      log?.isUsable = false
      return
    }
    finishPending(waitingFor: 0)
    summary.isComplete = false
    findings.append(diagnostic)
    handOverFindings(.document, isBookOver: false)
  }

  /// Ends the reading at the document's end.
  mutating func endDocument() {
    if verdict == nil && purpose == .detection { verdict = .no }
    finishPending(waitingFor: 0)
    findings.endDocument()
    findAnswer()
    if summary.isComplete { findContinuation() }
    if summary.records > 0 && summary.undated == summary.records { findLackOfExpirations() }
    if summary.records == 0, summary.isComplete, !summary.isPart, let root { findEmptiness(root) }
    handOverFindings(.document)
  }

  mutating func handOverFindings(_ owner: FindingList.Owner, isBookOver: Bool = true) {
    handOver(findings.drain(owner, isBookOver: isBookOver))
  }

  /// Hands over findings, behind the records that wait.
  mutating func handOver(_ diagnostics: [Diagnostic]) {
    guard pending.isEmpty else {
      if !diagnostics.isEmpty { pending.append(.findings(diagnostics)) }
      return
    }
    held += diagnostics
    handOverHeld()
  }

  private mutating func holdFindings() {
    held += findings.drain(.document)
    if held.count >= FindingList.longest && !isBeforeRoot { handOverHeld() }
  }

  private mutating func handOverHeld() {
    held.sort { $0.location < $1.location }
    for finding in held where failure == nil {
      switch finding.severity {
      case .error: summary.errors += 1
      case .warning: summary.warnings += 1
      }
      do { try use(.diagnostic(finding)) } catch { failure = error }
    }
    held.removeAll(keepingCapacity: true)
  }
}
