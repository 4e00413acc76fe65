/// The location paths of an XPath expression: how far outward they look, and by what they find
/// anything.
///
/// `concat(../@name, title[1])`, for example, has the two paths `../@name` and `title`. Its ``reach``
/// is 0: nothing need have ended but the element at which it is evaluated, since the attributes of
/// those around it have come before. That of `../title` is 1.
struct XPathPaths {
  /// The reach of what may look anywhere in the document.
  static let document = Int.max

  /// A path that is in no condition.
  struct Path {
    /// How many elements outward the element is that says what it finds, whichever element inside
    /// of that one is asked.
    var anchor = 0
    /// Names without which it finds nothing.
    var names: [String] = []
    /// Whether it leads to attributes or texts.
    var isOfLeaves = false
  }

  /// A place that a path leads to.
  struct Place {
    /// The number of elements from the one at which the expression is evaluated, or from the
    /// document, inward.
    var depth = 0
    /// The names from the document on; `nil` on a path that does not begin there.
    var names: [String]?
    /// Whether it may be anywhere inside.
    var isDeep = false
    /// Whether it is an attribute or a text.
    var isLeaf = false

    static let anywhere = Place(names: [], isDeep: true)
  }

  /// How many elements outward one is that must have ended before the value is known.
  private(set) var reach = 0
  /// The least depth of an element that conditions of paths from the document are about.
  private(set) var conditionDepth = document
  /// Whether it asks for all text in the element at which it is evaluated, or in one around it.
  private(set) var asksForOwnText = false
  private(set) var outermost: [Path] = []
  /// All that paths from the document lead to.
  private(set) var places: [Place] = []

  /// A bracket or parenthesis that is open.
  private struct Bracket {
    /// Where the path before it leads, and paths in it begin.
    var before: Place?, base: Place
    /// Whether paths may go on from what is in it.
    var isGroup = false
    /// All that paths in it lead to.
    var found: Place?
  }

  private var brackets: [Bracket] = []
  private var conditions = 0
  private var here: Place?
  private var path: Path?
  private var isLeading = false

  init(_ tokens: XPathTokens) {
    var index = 0
    while index < tokens.all.count {
      read(tokens, &index)
      index += 1
    }
    endPath()
  }

  /// How many elements outward the one is of which the value is a function, if the document has
  /// only some names; ``document`` if it is the same everywhere.
  func anchor(_ isKnown: (String) -> Bool = { _ in true }) -> Int {
    outermost.filter { $0.names.allSatisfy(isKnown) }.map(\.anchor).min() ?? Self.document
  }

  /// Whether no path leads to an attribute or a text.
  var leadsToElements: Bool { !outermost.contains(where: \.isOfLeaves) }

  /// Whether it may look at an element, in it, or ask for its text.
  func mayLead(to element: [String]) -> Bool {
    places.contains { place in
      let names = place.names ?? []
      return (place.isDeep || names.count >= element.count)
        && zip(names, element).allSatisfy { $0 == $1 || $0 == "*" || $1 == "*" }
    }
  }
}

// MARK: - Reading tokens

extension XPathPaths {
  private var base: Place { brackets.last?.base ?? Place() }

  private mutating func read(_ tokens: XPathTokens, _ index: inout Int) {
    switch tokens[index] {
    case "[":
      let place = here ?? .anywhere
      brackets.append(Bracket(before: place, base: place))
      (here, conditions) = (nil, conditions + 1)
      if tokens.isAboutPosition(conditionAt: index) { require(place, outward: 1) }
    case "(":
      let isGroup = !tokens.isFunction(at: index - 1)
      brackets.append(Bracket(before: nil, base: base, isGroup: isGroup))
    case "]":
      endPath()
      here = brackets.popLast()?.before
      (conditions, isLeading) = (conditions - 1, false)
    case ")":
      endPath()
      if let bracket = brackets.popLast(), bracket.isGroup { here = bracket.found }
    case "/", "//":
      if tokens.beginsAtDocument(index) {
        begin(Place(names: []), Path(anchor: Self.document))
      } else if here == nil {
        here = .anywhere
      }
      if tokens[index] == "//" { step("descendant-or-self", nil) }
    case "@", ".", "..": readStep(tokens, &index)
    case _ where tokens.isFunction(at: index): callFunction(tokens, index)
    case _ where tokens.isName(at: index): readStep(tokens, &index)
    default: endPath()
    }
  }

  /// Takes a function that says something about the element at hand, or looks anywhere.
  private mutating func callFunction(_ tokens: XPathTokens, _ index: Int) {
    let name = tokens[index]
    if name == "id" {
      require(.anywhere)
      places.append(.anywhere)
    }
    guard tokens[index + 2] == ")" || name == "lang" else { return }
    if conditions == 0 { outermost.append(Path()) }
    let isOfStartTag = ["name", "local-name", "namespace-uri", "position", "last", "true", "false"]
      .contains { $0 == name }
    if !isOfStartTag && name != "lang" { requireText(base) }
  }

  /// Takes a step: an axis, and a test.
  private mutating func readStep(_ tokens: XPathTokens, _ index: inout Int) {
    let start = tokens[index]
    if start == "." { return step("self", nil) }
    if start == ".." { return step("parent", nil) }
    var axis = "child"
    if start == "@" {
      (axis, index) = ("attribute", index + 1)
    } else if tokens[index + 1] == "::" {
      (axis, index) = (String(start), index + 2)
    }
    if tokens[index + 1] == ":" { index += 2 }
    if tokens.isNodeType(at: index) {
      let isLeaf = tokens[index] != "node"
      while index < tokens.all.count, tokens[index] != ")" { index += 1 }
      step(axis, nil)
      here?.isLeaf = isLeaf
      if let here, here.names == nil && here.depth <= 1 { asksForOwnText = true }
      return
    }
    step(axis, tokens[index] == "*" ? nil : String(tokens[index]))
  }
}

// MARK: - Following paths

extension XPathPaths {
  /// Notes that an element must have ended.
  private mutating func require(_ place: Place, outward: Int = 0) {
    if place.names == nil {
      reach = max(reach, outward - place.depth)
    } else {
      reach = Self.document
      if conditions > 0 { conditionDepth = min(conditionDepth, place.depth - outward) }
    }
  }

  private mutating func requireText(_ place: Place) {
    require(place)
    if place.names == nil && place.depth <= 0 { asksForOwnText = true }
  }

  private mutating func begin(_ place: Place, _ path: Path) {
    endPath()
    here = place
    isLeading = path.anchor == 0
    if conditions == 0 { self.path = path }
  }

  private mutating func step(_ axis: String, _ name: String?) {
    if here == nil { begin(base, Path()) }
    guard var place = here else { return }
    if let name, axis != "namespace", conditions == 0 { path?.names.append(name) }
    var inner: String?
    place.isLeaf = false
    switch axis {
    case "self": break
    case "parent":
      place.depth -= 1
      _ = place.names?.popLast()
      if isLeading && conditions == 0 { path?.anchor += 1 }
    case "attribute", "namespace":
      inner = "@"
      place.isLeaf = true
    case "child":
      require(place)
      inner = name ?? "*"
    case "following-sibling", "preceding-sibling":
      require(place, outward: 1)
      if place.names?.popLast() != nil { place.names?.append(name ?? "*") }
    case "descendant", "descendant-or-self":
      require(place)
      place.isDeep = true
    case "ancestor", "ancestor-or-self":
      place = .anywhere
      if isLeading && axis == "ancestor" && conditions == 0 { path?.anchor += 1 }
    default:
      place = .anywhere
      require(place)
    }
    if let inner {
      place.depth += 1
      if !place.isDeep { place.names?.append(inner) }
    }
    isLeading = isLeading && axis == "parent"
    here = place
  }

  private mutating func endPath() {
    guard let place = here else { return }
    here = nil
    if !place.isLeaf { requireText(place) }
    if place.names != nil { places.append(place) }
    if conditions == 0, var path {
      path.isOfLeaves = place.isLeaf
      outermost.append(path)
      self.path = nil
    }
    guard let last = brackets.indices.last else { return }
    guard let other = brackets[last].found else { return brackets[last].found = place }
    brackets[last].found =
      other.names == nil && place.names == nil
      ? Place(depth: min(other.depth, place.depth)) : .anywhere
  }
}
