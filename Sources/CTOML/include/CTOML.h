// TOML 1.0 as toml++ reads it: every key and value in turn, each with its place.

#ifndef CHECK_LOANS_CTOML_H
#define CHECK_LOANS_CTOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum check_loans_toml_kind {
    check_loans_toml_table,
    check_loans_toml_array,
    /// Ends the last table or array that has begun.
    check_loans_toml_end,
    check_loans_toml_string,
    check_loans_toml_integer,
    check_loans_toml_float,
    check_loans_toml_boolean,
    check_loans_toml_date,
    check_loans_toml_time,
    check_loans_toml_date_time,
};

/// A value of a document, or the end of one that has others in it.
struct check_loans_toml_item {
    enum check_loans_toml_kind kind;
    /// The key in its table, in UTF-8; NULL in an array.
    const char *key;
    size_t key_length;
    /// A string, in UTF-8, or a number in digits.
    const char *text;
    size_t length;
    bool boolean;
    /// The place of the key, or of a value without one, from 1; columns count code points.
    uint32_t line, column;
};

/// Why a document cannot be read, and where.
struct check_loans_toml_error {
    char text[512];
    uint32_t line, column;
};

/// Reads a document and gives its values to `take`, a table's in the order of their keys.
/// toml::parse(), https://marzer.github.io/tomlplusplus/
///
/// The pointers of an item are valid during the call that gets it. No document ends the process.
///
/// Returns whether the document was read; if not, nothing was given, and `error` says why.
bool check_loans_toml_read(const char *text, size_t length, void *context,
                           void (*take)(void *context, const struct check_loans_toml_item *item),
                           struct check_loans_toml_error *error);

#ifdef __cplusplus
}
#endif

#endif
