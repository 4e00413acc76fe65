/// The location paths of an XPath expression: how far outward they look, and by what they find
/// anything.
///
/// `concat(../name, title)`, for example, has a ``reach`` of 1: its value is known when the element
/// around the one at which it is evaluated has ended.
struct XPathPaths {
  /// The reach of what may look anywhere in the document.
  static let document = Int.max

  struct Path {
    /// How many elements outward the element is that says what it finds, whichever element inside
    /// of that one is asked.
    let anchor: Int
    let isInCondition: Bool
    /// The names of its steps; `*` for any, also for that of a step that leads anywhere.
    fileprivate(set) var names: [Substring] = []
  }

  private(set) var all: [Path] = []
  /// How many elements outward they look, at most.
  private(set) var reach = 0
  /// Whether a condition asks for the position of a node.
  private(set) var areAboutPosition = false
  /// The path at hand, if there is one yet, and how many elements outward it has led; before it those that
  /// its conditions interrupt.
  private var open: [(path: Int?, outward: Int)] = [(nil, 0), (nil, 0)]

  /// - Parameter tokens: of an expression without mistakes.
  init(_ tokens: XPathTokens) {
    for index in tokens.all.indices { read(tokens, index) }
  }

  /// The paths that are in no condition.
  var outermost: [Path] { all.filter { !$0.isInCondition } }

  /// How many elements outward the element is that the value depends on; ``document`` if the value is the
  /// same everywhere.
  var anchor: Int { outermost.map(\.anchor).min() ?? Self.document }

  private mutating func read(_ tokens: XPathTokens, _ index: Int) {
    switch tokens[index] {
    case "[": open.append((nil, open[open.count - 1].outward))
    case "]": open.removeLast()
    // Paths may go on from all that is in parentheses.
    case ")": look(outward: reach - open[open.count - 1].outward)
    case "id" where tokens.isFunction(at: index):
      begin(anchor: Self.document)
      look(outward: Self.document)
    case let name where tokens.isFunction(at: index):
      areAboutPosition = areAboutPosition || name == "position" || name == "last"
      // Without arguments many functions are about the element itself.
      if tokens[index + 2] == ")" || name == "lang" { begin(anchor: 0) }
    case "/", "//", "@", ".", "..": step(tokens, index)
    case _ where tokens.isName(at: index): step(tokens, index)
    default: break
    }
  }

  private mutating func begin(anchor: Int) {
    open[open.count - 1] = (all.count, open[open.count - 2].outward)
    all.append(Path(anchor: anchor, isInCondition: open.count > 2))
  }

  private mutating func step(_ tokens: XPathTokens, _ index: Int) {
    let text = tokens[index]
    if tokens.beginsAtDocument(index) {
      begin(anchor: Self.document)
      look(outward: Self.document)
    } else if tokens.beginsPath(index) {
      begin(anchor: tokens.parents(at: index))
    }
    switch tokens[index + 1] == "::" || text == ".." || text == "//" ? text : "" {
    case "..", "parent", "following-sibling", "preceding-sibling": look(outward: 1)
    case "ancestor", "ancestor-or-self": look(outward: Self.document)
    case "following", "preceding":
      look(outward: Self.document)
      fallthrough
    case "//", "descendant", "descendant-or-self": add("*", "*")
    default: if tokens.isNameTest(at: index) { add(text) }
    }
  }

  private mutating func add(_ names: Substring...) {
    if let path = open[open.count - 1].path { all[path].names += names }
  }

  private mutating func look(outward count: Int) {
    let (sum, isFar) = open[open.count - 1].outward.addingReportingOverflow(count)
    open[open.count - 1].outward = isFar ? Self.document : sum
    reach = max(reach, open[open.count - 1].outward)
  }
}

// MARK: - What they may find

extension XPathPaths {
  /// Whether one may begin at a root element of this name.
  func mayBegin(with name: String) -> Bool {
    all.contains { path in
      path.anchor == Self.document && (path.names.first.map { $0 == name || $0 == "*" } ?? true)
    }
  }

  /// Whether one may lead to elements of this name, or anywhere.
  func mayLead(to name: String) -> Bool {
    all.contains { path in
      let far = path.names.dropFirst(path.anchor == Self.document ? 1 : 0)
      return name == "*" || path.names.contains { $0 == name } || far.contains("*")
    }
  }

  /// Whether one may ask for all text in the element at which it is evaluated, or in one around it.
  var mayBeOwnText: Bool { outermost.contains(where: \.names.isEmpty) }

  /// Whether one may ask for all text in an element on this way.
  func mayAskForText(around way: [String]) -> Bool {
    outermost.contains { path in
      path.names.count < way.count && zip(path.names, way).allSatisfy { $0 == $1 || $0 == "*" }
    }
  }

  /// Whether one may find anything in a document with only some names.
  func mayFind(_ isKnown: (Substring) -> Bool) -> Bool {
    outermost.contains { $0.names.allSatisfy { $0 == "*" || isKnown($0) } }
  }
}
