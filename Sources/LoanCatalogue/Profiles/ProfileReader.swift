import CLibXML2
import Loans

/// Reads a document of another program's form, as a profile describes it.
///
/// libxml2 builds its own tree. Records are read when the element ends in which all is that the
/// profile says of them, their unit, which is freed then: the record itself, an element around it, or
/// the whole document, as far as the profile's expressions reach.
@safe struct ProfileReader: ~Copyable {
  /// The names on the way to an element, as libxml2 has them, each with a zero at its end; `*` is any name.
  private typealias Way = [[UInt8]]

  private let session: UnsafeMutablePointer<ParserSession>
  private var fields: FieldReader
  private let output: ((RecordBatch) -> Bool)?
  private var root: RootElement?
  /// The elements that are open, the outermost first.
  private var open: [xmlNodePtr] = unsafe []
  /// The names on the way to each unit; `nil` if that is the document.
  private var units: [Way]? = []
  /// The open element that is a unit.
  private var unit: xmlNodePtr?
  /// The names on the way to records in which white space means nothing.
  private let spacedRecords: [Way]
  /// The last of these.
  private var spacedRecord: xmlNodePtr?
  /// Bytes of the text at hand.
  private var textLength = 0
  /// The number of elements that have begun.
  private var number = 0
  /// Whether nothing more is wanted.
  private var isOver = false

  @unsafe private init(
    _ session: UnsafeMutablePointer<ParserSession>, _ document: CatalogueDocument,
    _ output: ((RecordBatch) -> Bool)?
  ) {
    unsafe self.session = session
    self.output = output
    fields = FieldReader(document.reader, document.profile, document.pool)
    spacedRecords = document.profile.records.compactMap(\.spacedWay).map(Self.way)
  }

  /// Reads a document, in batches where it is long.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Returns: the last batch.
  static func read(
    _ document: CatalogueDocument, _ output: ((RecordBatch) -> Bool)?
  ) throws(CatalogueError) -> RecordBatch {
    let parser = unsafe ProfileTree.parser(for: document.profile, path: document.path) { session in
      unsafe ProfileReader(session, document, output)
    }
    parser.parse(document.catalogue, from: .ofFile)
    guard let batch = unsafe try parser.reader.pointee.reader?.pointee.finish() else {
      preconditionFailure("the tree has no reader")
    }
    return batch
  }

  private mutating func finish() throws(CatalogueError) -> RecordBatch {
    do throws(CatalogueError) {
      unsafe try session.pointee.finish()
    } catch {
      if let output { _ = output(removeBatch()) }
      throw error
    }
    let batch = removeBatch()
    batch.root = root
    batch.ending = fields.ending
    batch.ending?.malformation = unsafe session.pointee.malformation
    return batch
  }

  private mutating func removeBatch() -> RecordBatch {
    fields.builder.removeBatch(end: unsafe session.pointee.bytesRead)
  }
}

// MARK: - Elements

extension ProfileReader {
  /// Takes an element that has been put into the tree.
  ///
  /// - Parameter namespace: as it is in the document.
  @unsafe mutating func startElement(
    _ parser: xmlParserCtxtPtr, _ node: xmlNodePtr, namespace: UnsafePointer<xmlChar>?
  ) {
    unsafe session.pointee.checkNameCount()
    textLength = 0
    number += 1
    unsafe node.number = number
    // A document type, and what comes before the root element, raise no events that say where they end.
    let place = unsafe number == 1 ? session.pointee.tagStart : session.pointee.position
    unsafe node.pointee._private = place.noted
    unsafe session.pointee.noteTagEnd()
    unsafe open.append(node)
    if root == nil {
      unsafe startRoot(
        parser, XMLNode(node), namespace: namespace.map { unsafe String(cString: $0) })
    } else if root?.isKnown == false, root?.firstChild == nil, unsafe open.count == 2 {
      root?.firstChild = unsafe String(cString: node.pointee.name)
    }
    if unsafe unit == nil, let units, isAtEnd(of: units) { unsafe unit = node }
    if unsafe spacedRecord == nil, isAtEnd(of: spacedRecords) { unsafe spacedRecord = node }
  }

  private static func way(_ names: [String]) -> Way { names.map { Array($0.utf8) + [0] } }

  /// Whether the last open element is at the end of one of these ways.
  @inline(__always)
  private func isAtEnd(of ways: [Way]) -> Bool {
    ways.contains { unsafe $0.count == open.count && isOn($0) }
  }

  /// Whether the open elements are on a way.
  private func isOn(_ way: Way) -> Bool {
    unsafe zip(open, way).allSatisfy {
      unsafe $1[0] == UInt8(ascii: "*") || xmlStrEqual($0.pointee.name, $1) == 1
    }
  }

  @unsafe private mutating func startRoot(
    _ parser: xmlParserCtxtPtr, _ element: XMLNode, namespace: String?
  ) {
    let place = element.place ?? SourceLocation(line: 1, column: 1)
    root = RootElement(
      name: element.name, namespace: namespace, location: place,
      isKnown: fields.profile.knows(element))
    units = fields.profile.units(below: element.name)?.map(Self.way)
    unsafe fields.begin(parser.pointee.myDoc, at: place)
  }

  /// Ends the reading, since the profile cannot be applied.
  private mutating func fail(_ failure: XPathFailure) {
    unsafe session.pointee.fail(
      "the profile \(fields.profile.name) cannot be applied here: \(failure.message)",
      at: fields.place)
  }

  /// Takes an element that has ended.
  @unsafe mutating func endElement(_ parser: xmlParserCtxtPtr, _ node: xmlNodePtr) {
    guard unsafe !session.pointee.isStopped else { return }
    textLength = 0
    unsafe session.pointee.notePlace()
    let isUnit = unsafe node == unit
    let isNeedless = unsafe isUnit || isNeedless(node)
    _ = unsafe open.popLast()
    // Another element may be where it was.
    if unsafe node == spacedRecord { unsafe spacedRecord = nil }
    do throws(XPathFailure) {
      if isUnit {
        unsafe unit = nil
        try readRecords()
      }
      // A root element stays, unless it has been read: there may be another in an envelope.
      guard isNeedless, unsafe isUnit || !open.isEmpty else { return }
      unsafe try fields.noteFreed(node)
    } catch {
      return fail(error)
    }
    unsafe free(node)
    // Where libxml2 adds to a text, it takes that to be the last one that it made.
    unsafe parser.pointee.nodemem = 0
  }

  /// Whether the last open element, on the way to units that have been read, says nothing else.
  ///
  /// Mutating, as to borrow the reader would be to copy it.
  @unsafe private mutating func isNeedless(_ node: xmlNodePtr) -> Bool {
    guard unsafe unit == nil, let units,
      units.contains(where: { unsafe $0.count > open.count && isOn($0) })
    else { return false }
    return unsafe !fields.profile.isAsked(for: XMLNode(node).name)
  }

  @unsafe private func free(_ node: xmlNodePtr) {
    unsafe xmlUnlinkNode(node)
    unsafe xmlFreeNode(node)
  }

  /// Reads the records that are in the tree and have ended.
  private mutating func readRecords() throws(XPathFailure) {
    let bytesRead = unsafe session.pointee.bytesRead
    fields.evaluator?.bytesRead = bytesRead
    var rest = unsafe try fields.candidates(but: open)[...]
    while let node = unsafe rest.first?.node, !isOver {
      let same = unsafe rest.prefix { unsafe $0.node == node }
      unsafe rest = rest[same.endIndex...]
      unsafe try fields.read(node, ofKinds: same.map { unsafe $0.kind })
      if let output, fields.builder.isFull(at: bytesRead) {
        isOver = !output(fields.builder.removeBatch(end: bytesRead))
      }
    }
    if isOver { unsafe session.pointee.stop() }
  }

  /// The document has ended, and its tree is still there.
  mutating func endDocument() {
    guard unsafe !session.pointee.isStopped || session.pointee.malformation != nil, root != nil
    else { return }
    // The text of what has not been closed may be a part of it.
    if let text = unsafe open.last?.pointee.last, unsafe text.pointee.type == XML_TEXT_NODE {
      unsafe free(text)
    }
    do throws(XPathFailure) {
      if unsafe units == nil || unit != nil {
        unsafe try fields.readLookups(but: open)
        try readRecords()
      }
      if unsafe session.pointee.malformation == nil { try fields.endDocument() }
    } catch {
      fail(error)
    }
  }
}

// MARK: - Texts

extension ProfileReader {
  /// Whether a text is put into the tree.
  @unsafe mutating func keeps(_ text: UnsafeBufferPointer<xmlChar>) -> Bool {
    guard unsafe !session.pointee.isStopped else { return false }
    textLength += text.count
    unsafe session.pointee.checkTextLength(textLength)
    unsafe session.pointee.notePlace()
    // Most texts between units, and between fields, are white space.
    let isBetween = unsafe open.last == spacedRecord || unit == nil && units != nil
    return unsafe !isBetween || !text.allSatisfy(\.isXMLWhiteSpace)
  }
}
