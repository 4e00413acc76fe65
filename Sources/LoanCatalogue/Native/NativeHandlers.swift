import CLibXML2

// Each of libxml2's handlers forwards at once to one method of the reader.

@inline(__always)
@unsafe private func reader(
  of context: UnsafeMutableRawPointer?
) -> UnsafeMutablePointer<NativeReader> {
  unsafe reader(of: parserContext(context), NativeReader.self)
}

private let startElementHandler: startElementNsSAX2Func = {
  context, name, prefix, namespace, _, _, attributeCount, _, attributes in
  guard let name = unsafe name else { return }
  unsafe reader(of: context).pointee.startElement(
    StartTag(
      name: name, prefix: prefix, namespace: namespace,
      attributes: UnsafeBufferPointer(start: attributes, count: Int(attributeCount) * 5)))
}

private let endElementHandler: endElementNsSAX2Func = { context, name, prefix, _ in
  guard let name = unsafe name else { return }
  unsafe reader(of: context).pointee.endElement(name, prefix)
}

private let charactersHandler: charactersSAXFunc = { context, text, length in
  unsafe reader(of: context).pointee.characters(
    UnsafeBufferPointer(start: text, count: Int(length)))
}

private let commentHandler: commentSAXFunc = { context, text in
  guard let text = unsafe text else { return }
  unsafe reader(of: context).pointee.comment(text)
}

extension NativeReader {
  /// Sets the handlers that forward to the reader of the parser's session.
  @unsafe static func setHandlers(_ handlers: UnsafeMutablePointer<xmlSAXHandler>) {
    unsafe handlers.pointee.startElementNs = startElementHandler
    unsafe handlers.pointee.endElementNs = endElementHandler
    unsafe setTextHandler(handlers, charactersHandler)
    unsafe handlers.pointee.comment = commentHandler
  }
}
