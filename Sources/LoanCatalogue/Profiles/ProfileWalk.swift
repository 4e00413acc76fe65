/// Where a document's reader stands in a profile's tree: which of its elements the open element is.
///
/// An element may be several at once, as one that fits two paths with different conditions. Each
/// combination that occurs is one state, worked out when it is met for the first time.
struct ProfileWalk: Sendable {
  /// What an element is.
  struct State: Sendable {
    /// Of the element around it.
    var parent: Int
    var nodes: [Int]
    /// The records that it may be: of several the first whose conditions hold.
    var records: [Int] = []
    var lookups: [Int] = []
    var textSlots: [Int] = []
    var attributeSlots: [(attribute: Int, slot: Int)] = []
    var scopes: [Int] = []
    var gates: [Int] = []
    var isMark = false
    /// Whether nothing inside it means anything.
    var isLeaf = true
    /// Whether nothing begins with the element but its text and its attributes.
    var isPlain = true
    /// Whether the element is a record of which each field goes to it at once, and at most one
    /// attribute is wanted.
    var isFlatRecord = false
    /// Which attribute is wanted, if it is one, and the field that it goes to at once.
    var flatAttribute: (number: Int, field: LoanField)?
  }

  /// What becomes of the walk at a start tag.
  enum Move: Equatable {
    /// The element means nothing, nor does anything in it.
    case nowhere
    /// It means this.
    case to(Int)
    /// That depends on its attributes.
    case conditional
  }

  /// A start tag behind which there is only text, for a field.
  struct FieldMove: Sendable {
    fileprivate var target: Int32
    var field: LoanField

    var state: Int { Int(target) }
  }

  private let tree: ProfileTree
  private(set) var states: [State] = []
  /// The state behind each state and name; ``unknown`` where nobody has been yet.
  private var moves: [Int32] = []
  /// For each state and name the same where the text of the element goes to a field at once, and
  /// nothing else is to be done about it.
  private var fieldMoves: [FieldMove?] = []
  private let width: Int
  private static let unknown: Int32 = -1
  private static let conditional: Int32 = -2
  private static let nowhere: Int32 = 0
  /// The state of the document itself.
  static let document = 1

  init(_ tree: ProfileTree) {
    self.tree = tree
    width = tree.letters.count
    // The first is none, so that 0 leads nowhere.
    _ = add(parent: 0, nodes: [])
    _ = add(parent: 0, nodes: [ProfileTree.document])
  }

  private mutating func add(parent: Int, nodes: [Int]) -> Int {
    var state = State(parent: parent, nodes: nodes)
    for node in nodes.lazy.map({ [tree] in tree.nodes[$0] }) {
      if let record = node.record { state.records.append(record) }
      state.lookups += node.lookups
      state.textSlots += node.textSlots
      state.attributeSlots += node.attributeSlots
      state.scopes += node.scopes
      if let gate = node.gate { state.gates.append(gate) }
      state.isMark = state.isMark || node.isMark
      if !node.children.isEmpty { state.isLeaf = false }
    }
    state.isPlain =
      state.records.isEmpty && state.scopes.isEmpty && !state.isMark
    if state.attributeSlots.count == 1 {
      state.flatAttribute = tree.slots[state.attributeSlots[0].slot].field.map {
        (state.attributeSlots[0].attribute, $0)
      }
    }
    state.isFlatRecord =
      tree.isFlat && !state.records.isEmpty && state.textSlots.isEmpty
      && (state.attributeSlots.isEmpty || state.flatAttribute != nil)
    states.append(state)
    moves += Array(repeating: Self.unknown, count: width)
    fieldMoves += Array(repeating: nil, count: width)
    return states.count - 1
  }

  private func plainField(of state: State) -> LoanField? {
    guard state.isLeaf, state.isPlain, state.attributeSlots.isEmpty, state.textSlots.count == 1
    else { return nil }
    return tree.slots[state.textSlots[0]].field
  }

  /// Where an element of this name leads whose text goes to a field at once, if that is known.
  @inline(__always)
  func fieldMove(from state: Int, name: Int) -> FieldMove? {
    fieldMoves[state &* width &+ name]
  }

  /// Where an element of this name leads that is a record, if that is known.
  @inline(__always)
  func recordMove(from state: Int, name: Int) -> Int? {
    let known = Int(moves[state &* width &+ name])
    return known > 0 && states[known].isFlatRecord ? known : nil
  }

  /// Where an element of this name leads, from a state.
  @inline(__always)
  mutating func move(from state: Int, name: Int) -> Move {
    let known = moves[state * width + name]
    if known > 0 { return .to(Int(known)) }
    if known == Self.nowhere { return .nowhere }
    return workOut(from: state, name: name)
  }

  private mutating func workOut(from state: Int, name: Int) -> Move {
    let known = moves[state * width + name]
    if known == Self.conditional { return .conditional }
    let candidates = candidates(from: state, name: name)
    if candidates.contains(where: { !tree.nodes[$0].tests.isEmpty }) {
      moves[state * width + name] = Self.conditional
      return .conditional
    }
    guard !candidates.isEmpty else {
      moves[state * width + name] = Self.nowhere
      return .nowhere
    }
    let next = add(parent: state, nodes: candidates)
    moves[state * width + name] = Int32(next)
    if let field = plainField(of: states[next]) {
      fieldMoves[state * width + name] = FieldMove(target: Int32(next), field: field)
    }
    return .to(next)
  }

  private func candidates(from state: Int, name: Int) -> [Int] {
    states[state].nodes.flatMap { tree.nodes[$0].children }.filter { tree.fits($0, name) }
  }

  /// Which tests decide where an element of this name leads.
  func tests(from state: Int, name: Int) -> [Int] {
    candidates(from: state, name: name).flatMap { tree.nodes[$0].tests }
  }

  /// Where an element leads that passed these tests.
  ///
  /// - Parameter passed: a bit for each of the tree's tests.
  mutating func move(from state: Int, name: Int, passed: UInt64) -> Move {
    let nodes = candidates(from: state, name: name).filter { child in
      tree.nodes[child].tests.allSatisfy { passed & (1 << UInt64($0)) != 0 }
    }
    if nodes.isEmpty { return .nowhere }
    let known = states.firstIndex { $0.parent == state && $0.nodes == nodes }
    return .to(known ?? add(parent: state, nodes: nodes))
  }
}
