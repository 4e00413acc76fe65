/// The location paths of an XPath expression: how far outward they look, and by what they find
/// anything.
///
/// `concat(../name, title)`, for example, has a ``reach`` of 1: its value is known when the element
/// around the one at which it is evaluated has ended.
struct XPathPaths {
  /// The reach of what may look anywhere in the document.
  static let document = Int.max

  /// A path that is in no condition.
  private struct Path {
    /// How many elements outward the element is that says what it finds, whichever element inside
    /// of that one is asked.
    var anchor: Int
    /// Names without which it finds nothing.
    var names: [String] = []
  }

  /// How many elements outward it looks, at most.
  private(set) var reach = 0
  private var outermost: [Path] = []
  /// How many elements outward the path at hand has led, and those that conditions interrupt.
  private var outward = 0
  private var interrupted: [Int] = []
  /// Whether the path at hand has only led outward.
  private var isLeading = false

  init(_ tokens: XPathTokens) {
    for index in tokens.all.indices { read(tokens, index) }
  }

  /// How many elements outward the one is of which the value is a function, if the document has
  /// only some names; ``document`` if it is the same everywhere.
  func anchor(_ isKnown: (String) -> Bool = { _ in true }) -> Int {
    outermost.filter { $0.names.allSatisfy(isKnown) }.map(\.anchor).min() ?? Self.document
  }

  private mutating func read(_ tokens: XPathTokens, _ index: Int) {
    switch tokens[index] {
    case "[": interrupted.append(outward)
    case "]":
      outward = interrupted.popLast() ?? 0
      isLeading = false
    // Paths may go on from all that is in parentheses.
    case ")": outward = reach
    case _ where tokens.isFunction(at: index): call(tokens, index)
    case "/", "//", "@", ".", "..": step(tokens, index)
    case _ where tokens.isName(at: index): step(tokens, index)
    default: break
    }
  }

  private mutating func call(_ tokens: XPathTokens, _ index: Int) {
    let name = tokens[index]
    if name == "id" { reach = Self.document }
    // Without arguments many functions are about the element itself.
    if tokens[index + 2] == ")" || name == "lang" { begin(anchor: 0) }
  }

  private mutating func begin(anchor: Int) {
    outward = interrupted.last ?? 0
    isLeading = true
    if interrupted.isEmpty { outermost.append(Path(anchor: anchor)) }
  }

  private mutating func step(_ tokens: XPathTokens, _ index: Int) {
    let text = tokens[index]
    guard tokens.all[index].isInOperand else { return }
    if tokens.beginsAtDocument(index) {
      reach = Self.document
      begin(anchor: Self.document)
    } else if !["/", "//", "::", ":", "@"].contains(where: { $0 == tokens[index - 1] }) {
      begin(anchor: 0)
    }
    let isAxis = tokens[index + 1] == "::"
    switch isAxis || text == ".." ? text : "" {
    case "..", "parent": look(outward: 1, leads: true)
    case "ancestor": look(outward: Self.document, leads: true)
    case "following-sibling", "preceding-sibling": look(outward: 1)
    case "ancestor-or-self", "following", "preceding": look(outward: Self.document)
    case _ where text == "/" || text == "." || isAxis: break
    default: isLeading = false
    }
    let isTest = tokens.isName(at: index) && !tokens.isNodeType(at: index) && text != "*"
    guard isTest, !isAxis, tokens[index + 1] != ":", interrupted.isEmpty,
      let last = outermost.indices.last
    else { return }
    outermost[last].names.append(String(text))
  }

  private mutating func look(outward count: Int, leads: Bool = false) {
    outward = count == Self.document || outward == Self.document ? Self.document : outward + count
    reach = max(reach, outward)
    guard interrupted.isEmpty, let last = outermost.indices.last else { return }
    if leads && isLeading && outermost[last].anchor != Self.document { outermost[last].anchor += 1 }
    isLeading = leads && isLeading
  }
}
