import CLibXML2

/// A start tag as libxml2 gives it.
///
/// - SeeAlso: `startElementNsSAX2Func`.
@unsafe struct StartTag {
  var name: UnsafePointer<xmlChar>
  var prefix: UnsafePointer<xmlChar>?
  var namespace: UnsafePointer<xmlChar>?
  /// Five pointers each: name, prefix, namespace, first byte of the value, end.
  var attributes: UnsafeBufferPointer<UnsafePointer<xmlChar>?>
}

extension StartTag {
  var attributeCount: Int { unsafe attributes.count / 5 }

  /// An attribute's name and value; `nil` for one with a prefix.
  func attribute(
    _ number: Int
  ) -> (name: UnsafePointer<xmlChar>, value: UnsafeBufferPointer<xmlChar>)? {
    let index = 5 * number
    guard let name = unsafe attributes[index], unsafe attributes[index + 1] == nil,
      let value = unsafe attributes[index + 3], let end = unsafe attributes[index + 4]
    else { return nil }
    return unsafe (name, UnsafeBufferPointer(start: value, count: end - value))
  }
}
