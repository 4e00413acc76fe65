#ifndef CHECK_LOANS_CLIBXML2_SHIM_H
#define CHECK_LOANS_CLIBXML2_SHIM_H

// The differences between libxml2 2.9.14 and 2.15 live here and nowhere else.

// What later versions advise against has nothing in its place that earlier ones have.
#define XML_DEPRECATED
#define XML_DEPRECATED_MEMBER

// ICU's types must not be declared here as well as in Foundation's own copy of ICU. Nothing that is
// used here depends on them.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

/// A handler of errors; the error's constness changed in libxml2 2.12.
typedef void (*check_loans_error_handler)(void *user_data, const xmlError *error);

static inline void check_loans_set_error_handler(xmlSAXHandler *sax,
                                                 check_loans_error_handler handler) {
  sax->serror = (xmlStructuredErrorFunc)handler;
}

/// Sends the errors that libxml2 raises without a parser, of a character set
/// converter for example, to `handler`; the setting belongs to the thread.
static inline void check_loans_set_thread_error_handler(void *user_data,
                                                        check_loans_error_handler handler) {
  xmlSetStructuredErrorFunc(user_data, (xmlStructuredErrorFunc)handler);
}

static inline void check_loans_set_xpath_error_handler(xmlXPathContextPtr context,
                                                       check_loans_error_handler handler) {
  context->error = (xmlStructuredErrorFunc)handler;
}

/// Frees what libxml2 has allocated; `xmlFree` is a macro or a variable, depending on the version.
static inline void check_loans_free(void *memory) {
  if (memory != NULL) xmlFree(memory);
}

/// The input of the document itself, below the inputs of any entities.
static inline xmlParserInputPtr check_loans_document_input(xmlParserCtxtPtr context) {
  return context->inputNr > 0 ? context->inputTab[0] : context->input;
}

/// The encoding that the document declares; the converter's, where that has failed at once and the
/// declaration is not kept yet, as in 2.14 and later.
static inline const xmlChar *check_loans_declared_encoding(xmlParserCtxtPtr context) {
  if (context->encoding != NULL) return context->encoding;
  xmlParserInputPtr input = context->input;
  if (input == NULL) return NULL;
  if (input->encoding != NULL) return input->encoding;
  if (input->buf == NULL || input->buf->encoder == NULL) return NULL;
  return (const xmlChar *)input->buf->encoder->name;
}

/// How many different names the document has had so far.
static inline int check_loans_name_count(xmlParserCtxtPtr context) {
  return xmlDictSize(context->dict);
}

/// Whether the document's bytes are read as they are, without a converter.
static inline int check_loans_reads_plainly(xmlParserCtxtPtr context) {
  return context->input != NULL && context->input->buf != NULL &&
         context->input->buf->encoder == NULL;
}

/// The byte at which the conversion of an input to UTF-8 came to its end although there is more, or
/// -1. Later versions report it themselves.
static inline int check_loans_refused_byte(xmlParserInputPtr input) {
#if LIBXML_VERSION < 21200
  if (input->buf == NULL || input->buf->encoder == NULL || xmlBufUse(input->buf->raw) == 0) return -1;
  return *xmlBufContent(input->buf->raw);
#else
  return -1;
#endif
}

/// The number of bytes of the document before the parser, in its own encoding, or -1 if it is not known.
///
/// `xmlByteConsumed` works it out by writing what is still to be read in that encoding again, for which
/// the converters of 2.14 and later are not made: they only read.
static inline long check_loans_byte_offset(xmlParserCtxtPtr context) {
#if LIBXML_VERSION < 21400
  return xmlByteConsumed(context);
#else
  xmlParserInputPtr input = context->input;
  if (input == NULL || input->buf == NULL || input->buf->encoder == NULL) return xmlByteConsumed(context);
  xmlCharEncodingHandlerPtr writer = NULL;
  if (xmlCreateCharEncodingHandler(input->buf->encoder->name, XML_ENC_OUTPUT, NULL, NULL, &writer) !=
          XML_ERR_OK || writer == NULL) {
    return -1;
  }
  xmlBufferPtr text = xmlBufferCreate(), bytes = xmlBufferCreate();
  long offset = -1;
  if (text != NULL && bytes != NULL &&
      xmlBufferAdd(text, input->cur, (int)(input->end - input->cur)) == XML_ERR_OK &&
      xmlCharEncOutFunc(writer, bytes, text) >= 0 && xmlBufferLength(text) == 0) {
    offset = (long)input->buf->rawconsumed - xmlBufferLength(bytes);
  }
  xmlBufferFree(text);
  xmlBufferFree(bytes);
  xmlCharEncCloseFunc(writer);
  return offset;
#endif
}

/// Parses a document in memory without a copy of the whole: `xmlCtxtReadMemory` makes one up to
/// 2.11, later ones read piece by piece.
///
/// `bytes` must have a zero after them and stay as they are until the context is reset or freed. What is
/// returned is to be freed, whether the document is well-formed or not.
static inline xmlDocPtr check_loans_read_memory(xmlParserCtxtPtr context, const char *bytes,
                                                int count, int options) {
#if LIBXML_VERSION < 21200
  xmlCtxtReset(context);
  xmlParserInputPtr input = xmlNewInputStream(context);
  if (input == NULL) return NULL;
  input->base = (const xmlChar *)bytes;
  input->cur = input->base;
  input->end = input->base + count;
  xmlCtxtUseOptions(context, options);
  inputPush(context, input);
  xmlParseDocument(context);
  xmlDocPtr document = context->myDoc;
  context->myDoc = NULL;
  return document;
#else
  return xmlCtxtReadMemory(context, bytes, count, NULL, NULL, options);
#endif
}

#endif
