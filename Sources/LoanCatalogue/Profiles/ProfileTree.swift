/// The paths of a profile as one tree of elements, from the document down, with what is to be done
/// at each of them.
struct ProfileTree: Sendable {
  /// An element that means something.
  struct Node: Sendable {
    /// Its name's number, or ``anyName``.
    var name = 0
    /// Which of ``tests`` its start tag has to pass.
    var tests: [Int] = []
    /// The conditions on its children, as they are written, by which it is told from its like.
    fileprivate var childConditions: [ProfilePath.Condition] = []
    var children: [Int] = []
    /// Where its text belongs.
    var textSlots: [Int] = []
    /// Where its attributes belong.
    var attributeSlots: [(attribute: Int, slot: Int)] = []
    /// The scopes that begin and end with it.
    var scopes: [Int] = []
    var record: Int?
    var lookups: [Int] = []
    /// The conditions on its children that can only be judged at its end.
    var gate: Int?
    var isMark = false
  }

  /// A place for the values found at one path.
  struct Slot: Sendable {
    var scope: Int
    /// The field of the record that the first value goes to at once, without a detour.
    var field: LoanField?
  }

  /// Where a field's values are, in the order in which they count.
  struct Source: Sendable {
    var field: LoanField
    /// The slots whose values are joined.
    var slots: [Int]
    var absences: [[UInt8]]
    var forms: [DateForm]
    var countsFromLoan: Bool
    var isShared: Bool
  }

  /// One kind of record.
  struct RecordPlan: Sendable {
    /// The fields that are not filled directly.
    var sources: [Source] = []
    /// The slots of keys, each with its lookup.
    var references: [(slot: Int, lookup: Int)] = []
    /// The depth of the outermost element whose end must be waited for, since values of the record
    /// may come after it.
    var waitDepth: Int?
    var scope: Int

    /// Whether all fields go to the record at once.
    var isDirect: Bool { sources.isEmpty && references.isEmpty }
  }

  struct LookupPlan: Sendable {
    var sources: [Source]
    var keySlot: Int
    var scope: Int
  }

  /// Conditions on the children of an element.
  struct Gate: Sendable {
    var conditions: [(condition: ProfilePath.Condition, slot: Int)] = []
    var scope: Int
    /// The slots of everything inside the element, whose values count only if the conditions hold.
    var slots: Set<Int> = []
    /// The scopes of these slots.
    var scopes: [Int] = []
    /// The record that the element is if the conditions hold.
    var record: Int?
  }

  /// What a start tag is tested for.
  struct Test: Hashable, Sendable {
    var attribute: Int
    var condition: ProfilePath.Condition
  }

  /// A name of elements in a document.
  struct Letter: Sendable {
    /// Its namespace: the number of one that has a prefix in the profile, or ``ownVocabulary``.
    var vocabulary: Int
    var local: String
    /// The names in paths that fit it.
    fileprivate var names: Set<Int>
  }

  /// Why a profile makes no sense.
  struct Failure: Error {
    var path: ProfilePath
    /// One lower-case sentence.
    var message: String
  }

  static let anyName = -1
  /// The namespaces that have a prefix in the profile, each once.
  let vocabularies: [String]
  /// Names of elements without namespace, or of the profile's own without a prefix.
  static let ownVocabulary = -1
  static let document = 0
  private(set) var nodes = [Node()]
  /// The names of elements as paths have them.
  private(set) var names: [ProfilePath.Name] = []
  /// The names of elements as documents have them, from number 1 on; 0 is any other name.
  private(set) var letters: [Letter] = []
  private(set) var attributes: [ProfilePath.Name] = []
  private(set) var tests: [Test] = []
  private(set) var slots: [Slot] = []
  /// How many scopes there are; the first is the document's.
  private(set) var scopeCount = 1
  private(set) var records: [RecordPlan] = []
  private(set) var lookups: [LookupPlan] = []
  private(set) var problems: [(slots: [Int], yieldsToLoans: Bool)] = []
  private(set) var gates: [Gate] = []
  /// The slots of how many records there are.
  private(set) var totals: [Int] = []
  /// The slots of what is only there if there is more to come.
  private(set) var continuations: [Int] = []
  private(set) var hasMarks = false
  private var contexts: [Int: Int] = [:]
  /// The scopes of what encloses records and tells something of them.
  private(set) var enclosingScopes: Set<Int> = []

  /// Whether some element may have any name.
  private(set) var hasAnyName = false

  /// Whether a record is known when its element ends, and every value goes to its record at once.
  private(set) var isFlat = false

  /// Of no profile.
  static let empty = ProfileTree()

  private init() { vocabularies = [] }

  /// - Throws: ``Failure``.
  init(_ profile: CatalogueProfile) throws(Failure) {
    vocabularies = Set(profile.prefixes.values).sorted()
    nodes[0].scopes = [0]
    for path in profile.records { try addRecord(path.asRecord, profile) }
    for path in profile.records { try addLookups(path.asRecord, profile) }
    for path in profile.totals { totals.append(addSlot(at: path, scope: Self.document)) }
    for path in profile.continuations {
      continuations.append(addSlot(at: path, scope: Self.document))
    }
    for problem in profile.problems {
      var slots: [Int] = []
      for path in problem.paths { slots.append(addSlot(at: path, scope: Self.document)) }
      problems.append((slots, problem.yieldsToLoans))
    }
    for path in profile.marks { addMark(path) }
    fillGates()
    fillLetters(profile)
    try checkUse(profile)
    try check()
    isFlat =
      !hasMarks && tests.isEmpty && gates.isEmpty && lookups.isEmpty
      && slots.allSatisfy { $0.field != nil }
      && records.allSatisfy { $0.isDirect && $0.waitDepth == nil }
  }
}

// Building it.
extension ProfileTree {
  private mutating func addMark(_ path: ProfilePath) {
    var steps = path.steps
    if path.attribute != nil, !steps.isEmpty {
      let operand = ProfilePath(attribute: path.attribute)
      steps[steps.count - 1].conditions.append(ProfilePath.Condition(operand: operand))
    }
    nodes[addNode(at: steps)].isMark = true
    hasMarks = true
  }

  private mutating func fillLetters(_ profile: CatalogueProfile) {
    letters = [Letter(vocabulary: Self.ownVocabulary, local: "", names: [])]
    for local in Set(names.map(\.local)).sorted() {
      for vocabulary in [Self.ownVocabulary] + Array(vocabularies.indices) {
        let fitting = names.indices.filter { number in
          names[number].local == local && fits(names[number], vocabulary, profile)
        }
        guard !fitting.isEmpty else { continue }
        letters.append(Letter(vocabulary: vocabulary, local: local, names: Set(fitting)))
      }
    }
  }

  private func fits(
    _ name: ProfilePath.Name, _ vocabulary: Int, _ profile: CatalogueProfile
  ) -> Bool {
    guard vocabulary != Self.ownVocabulary else { return name.prefix == nil }
    let namespace = vocabularies[vocabulary]
    guard let prefix = name.prefix else { return profile.namespaces.contains(namespace) }
    return profile.prefixes[prefix] == namespace
  }

  /// Whether an element of a path fits a name in a document.
  func fits(_ node: Int, _ letter: Int) -> Bool {
    nodes[node].name == Self.anyName || letters[letter].names.contains(nodes[node].name)
  }

  private mutating func addRecord(
    _ path: ProfilePath, _ profile: CatalogueProfile
  ) throws(Failure) {
    guard path.isAbsolute, path.attribute == nil else {
      throw Failure(path: path, message: "a record's path begins with / and leads to an element")
    }
    try checkWay(to: path)
    if let outer = profile.records.first(where: { $0.isOutside(path) }) {
      throw Failure(path: path, message: "this record is inside another one, \(outer)")
    }
    let node = addNode(at: path.steps)
    guard nodes[node].record == nil else {
      throw Failure(path: path, message: "the record's path stands here twice")
    }
    let scope = addScope(at: node)
    var plan = RecordPlan(scope: scope)
    for field in LoanField.allCases {
      try addField(profile.fields.filter { $0.field == field }, of: path, profile, to: &plan)
    }
    nodes[node].record = records.count
    records.append(plan)
  }

  /// - Throws: ``Failure`` for conditions that are judged too late.
  private func checkWay(to path: ProfilePath) throws(Failure) {
    if path.steps.dropLast().contains(where: { $0.conditions.contains { !$0.isOnAttribute } }) {
      throw Failure(
        path: path,
        message: "of what is around it only attributes can be asked for, not child elements")
    }
  }

  private mutating func addField(
    _ rules: [CatalogueProfile.FieldRule], of record: ProfilePath, _ profile: CatalogueProfile,
    to plan: inout RecordPlan
  ) throws(Failure) {
    for rule in rules {
      var source = Source(rule, slots: [])
      for path in rule.paths {
        guard try belongs(path, to: record, profile),
          let slot = addSlot(at: path, of: record, &plan)
        else { continue }
        source.slots.append(slot)
      }
      // A path that has nothing in common with this record's is another record's.
      guard !source.slots.isEmpty else { continue }
      guard source.slots.count == rule.paths.count else {
        throw Failure(
          path: rule.paths[0],
          message: "of the paths that are joined here the record \(record) has only some")
      }
      if rules.count == 1, isDirect(rule, source, record, plan.scope, profile) {
        slots[source.slots[0]].field = rule.field
      } else {
        plan.sources.append(source)
      }
    }
  }

  /// Whether the first value found can be the field's without being looked at.
  private func isDirect(
    _ rule: CatalogueProfile.FieldRule, _ source: Source, _ record: ProfilePath, _ scope: Int,
    _ profile: CatalogueProfile
  ) -> Bool {
    guard source.slots.count == 1, slots[source.slots[0]].scope == scope,
      rule.absences.isEmpty, !rule.countsFromLoan, !rule.isShared,
      rule.forms.isEmpty || profile.isNative
    else { return false }
    let steps = record.resolving(rule.paths[0]).steps.dropFirst(record.steps.count)
    return !steps.contains { $0.conditions.contains { !$0.isOnAttribute } }
  }

  /// Whether a path is that of a record rather than of one that it has more in common with.
  ///
  /// - Throws: ``Failure`` for a path that nearly leads through what encloses the record.
  private func belongs(
    _ path: ProfilePath, to record: ProfilePath, _ profile: CatalogueProfile
  ) throws(Failure) -> Bool {
    guard path.ascents < record.steps.count else { return false }
    let whole = record.resolving(path)
    let common = whole.commonSteps(with: record)
    if common == record.steps.count { return true }
    guard whole.attribute != nil || whole.steps.count > common else {
      throw Failure(path: path, message: "the record itself is inside this element")
    }
    let others = profile.records.map(\.asRecord)
    if path.isAbsolute, others.contains(where: { whole.commonSteps(with: $0) == $0.steps.count }) {
      return false
    }
    if whole.steps.count > common, whole.steps[common].mayBe(record.steps[common]) {
      throw Failure(
        path: path,
        message: "write the same names and conditions here as in the record's path \(record)")
    }
    if path.isAbsolute, others.contains(where: { whole.commonSteps(with: $0) > common }) {
      return false
    }
    return common > 0
  }

  /// - Returns: nil if the path lies elsewhere than the record.
  private mutating func addSlot(
    at path: ProfilePath, of record: ProfilePath, _ plan: inout RecordPlan
  ) -> Int? {
    guard path.ascents < record.steps.count else { return nil }
    let whole = record.resolving(path)
    let common = whole.commonSteps(with: record)
    guard common > 0 else { return nil }
    if common == record.steps.count { return addSlot(at: whole, scope: plan.scope) }
    let enclosing = addNode(at: Array(record.steps.prefix(common)))
    let isKnownBefore = whole.steps.count == common
    if !isKnownBefore { plan.waitDepth = min(plan.waitDepth ?? common, common) }
    let scope = contexts[enclosing] ?? addScope(at: enclosing)
    contexts[enclosing] = scope
    enclosingScopes.insert(scope)
    return addSlot(at: whole, scope: scope)
  }

  private mutating func addLookups(
    _ record: ProfilePath, _ profile: CatalogueProfile
  ) throws(Failure) {
    guard let number = nodes[addNode(at: record.steps)].record else { return }
    for (index, lookup) in profile.lookups.enumerated() {
      if lookups.count == index { try addLookup(lookup) }
      var plan = records[number]
      if try belongs(lookup.reference, to: record, profile),
        let slot = addSlot(at: lookup.reference, of: record, &plan)
      {
        plan.references.append((slot, index))
      }
      records[number] = plan
    }
  }

  private mutating func addLookup(_ lookup: CatalogueProfile.Lookup) throws(Failure) {
    guard lookup.path.isAbsolute, lookup.path.attribute == nil else {
      throw Failure(
        path: lookup.path, message: "a lookup's path begins with / and leads to an element")
    }
    try checkWay(to: lookup.path)
    let node = addNode(at: lookup.path.steps)
    let scope = addScope(at: node)
    nodes[node].lookups.append(lookups.count)
    var sources: [Source] = []
    for rule in lookup.fields {
      var source = Source(rule, slots: [])
      for path in rule.paths {
        source.slots.append(try addSlot(at: path, inside: lookup.path, scope: scope))
      }
      sources.append(source)
    }
    let keySlot = try addSlot(at: lookup.key, inside: lookup.path, scope: scope)
    lookups.append(LookupPlan(sources: sources, keySlot: keySlot, scope: scope))
  }

  private mutating func addSlot(
    at path: ProfilePath, inside element: ProfilePath, scope: Int
  ) throws(Failure) -> Int {
    guard !path.isAbsolute, path.ascents == 0 else {
      throw Failure(path: path, message: "the path begins inside the lookup's element")
    }
    return addSlot(at: element.resolving(path), scope: scope)
  }

  private mutating func addSlot(at path: ProfilePath, scope: Int) -> Int {
    addSlot(at: addNode(at: path.steps), path.attribute, scope: scope)
  }

  /// - Parameter attribute: whose value is wanted; `nil` for the element's text.
  private mutating func addSlot(
    at node: Int, _ attribute: ProfilePath.Name?, scope: Int
  ) -> Int {
    if let attribute {
      let number = number(ofAttribute: attribute)
      nodes[node].attributeSlots.append((number, slots.count))
    } else {
      nodes[node].textSlots.append(slots.count)
    }
    slots.append(Slot(scope: scope))
    return slots.count - 1
  }

  private mutating func addScope(at node: Int) -> Int {
    scopeCount += 1
    nodes[node].scopes.append(scopeCount - 1)
    return scopeCount - 1
  }

  private mutating func addNode(at steps: [ProfilePath.Step]) -> Int {
    steps.reduce(Self.document) { addNode(for: $1, below: $0) }
  }

  private mutating func addNode(for step: ProfilePath.Step, below parent: Int) -> Int {
    let name = number(ofElement: step.name)
    let tests = step.conditions.filter(\.isOnAttribute).map { number(ofTest: $0) }
    let conditions = step.conditions.filter { !$0.isOnAttribute }
    let known = nodes[parent].children.first { child in
      nodes[child].name == name && nodes[child].tests == tests
        && nodes[child].childConditions == conditions
    }
    if let known { return known }
    nodes.append(Node(name: name, tests: tests, childConditions: conditions))
    let node = nodes.count - 1
    nodes[parent].children.append(node)
    if !conditions.isEmpty { addGate(at: node, conditions) }
    return node
  }

  private mutating func addGate(at node: Int, _ conditions: [ProfilePath.Condition]) {
    let scope = addScope(at: node)
    var gate = Gate(scope: scope)
    for condition in conditions {
      // The operand's elements are looked for below this very node.
      let target = condition.operand.steps.reduce(node) { addNode(for: $1, below: $0) }
      let slot = addSlot(at: target, condition.operand.attribute, scope: scope)
      gate.conditions.append((condition, slot))
    }
    nodes[node].gate = gates.count
    gates.append(gate)
  }

  private mutating func fillGates() {
    for node in nodes.indices {
      guard let gate = nodes[node].gate else { continue }
      gates[gate].slots = slots(inside: node)
      gates[gate].scopes = Set(gates[gate].slots.map { slots[$0].scope }).sorted()
      gates[gate].record = nodes[node].record
    }
  }

  private func slots(inside node: Int) -> Set<Int> {
    var slots = Set(nodes[node].textSlots + nodes[node].attributeSlots.map(\.slot))
    for child in nodes[node].children { slots.formUnion(self.slots(inside: child)) }
    return slots
  }

  private mutating func number(ofElement name: ProfilePath.Name) -> Int {
    if name.local == "*" {
      hasAnyName = true
      return Self.anyName
    }
    if let number = names.firstIndex(of: name) { return number }
    names.append(name)
    return names.count - 1
  }

  private mutating func number(ofAttribute name: ProfilePath.Name) -> Int {
    if let number = attributes.firstIndex(of: name) { return number }
    attributes.append(name)
    return attributes.count - 1
  }

  private mutating func number(ofTest condition: ProfilePath.Condition) -> Int {
    let name = condition.operand.attribute ?? ProfilePath.Name(prefix: nil, local: "")
    let test = Test(attribute: number(ofAttribute: name), condition: condition)
    if let number = tests.firstIndex(of: test) { return number }
    tests.append(test)
    return tests.count - 1
  }

  /// - Throws: ``Failure`` for a path that no record has anything of.
  private func checkUse(_ profile: CatalogueProfile) throws(Failure) {
    for (index, lookup) in profile.lookups.enumerated()
    where !records.contains(where: { $0.references.contains { $0.lookup == index } }) {
      throw Failure(path: lookup.reference, message: Self.useless)
    }
    for rule in profile.fields {
      let isUsed = profile.records.contains { record in
        rule.paths.allSatisfy { path in
          path.ascents < record.steps.count
            && record.resolving(path).steps.first == record.steps.first
        }
      }
      guard !isUsed, !profile.records.isEmpty else { continue }
      throw Failure(path: rule.paths[0], message: Self.useless)
    }
  }

  private static let useless = "the path has nothing in common with that of any record"

  /// - Throws: ``Failure`` if there are more tests than a set of them can hold.
  private func check() throws(Failure) {
    guard tests.count > 64 else { return }
    throw Failure(
      path: ProfilePath(attribute: attributes[tests[64].attribute]),
      message: "there are more than 64 different conditions on attributes")
  }
}

extension ProfileTree.Source {
  fileprivate init(_ rule: CatalogueProfile.FieldRule, slots: [Int]) {
    self.init(
      field: rule.field, slots: slots, absences: rule.absences.map { Array($0.utf8) },
      forms: rule.forms, countsFromLoan: rule.countsFromLoan, isShared: rule.isShared)
  }
}

extension ProfilePath {
  /// The path from the document, of one that begins at this path's element.
  func resolving(_ path: ProfilePath) -> ProfilePath {
    if path.isAbsolute { return path }
    var whole = path
    whole.isAbsolute = true
    whole.ascents = 0
    whole.steps = steps.dropLast(path.ascents) + path.steps
    return whole
  }
}
