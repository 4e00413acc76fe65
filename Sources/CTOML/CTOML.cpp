#include "CTOML.h"

// Errors come as values. What the library would assert of a document, it reports as an error too.
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace {

// Deeper than any settings; each level takes room on the stack.
constexpr int deepest = 32;

struct Walk {
    void *context;
    void (*take)(void *, const check_loans_toml_item *);

    void give(const toml::node &node, const toml::key *key, int depth) const {
        check_loans_toml_item item = {};
        const auto place = (key ? key->source() : node.source()).begin;
        item.line = place.line;
        item.column = place.column;
        if (key) {
            item.key = key->str().data();
            item.key_length = key->str().size();
        }
        std::string number;
        if (const auto *text = node.as_string()) {
            item.kind = check_loans_toml_string;
            item.text = text->get().data();
            item.length = text->get().size();
        } else if (const auto *integer = node.as_integer()) {
            item.kind = check_loans_toml_integer;
            number = std::to_string(integer->get());
        } else if (const auto *real = node.as_floating_point()) {
            item.kind = check_loans_toml_float;
            char digits[64];
            number.assign(digits, std::to_chars(digits, std::end(digits), real->get()).ptr);
            if (number.find_first_not_of("-0123456789") == std::string::npos) number += ".0";
        } else if (const auto *boolean = node.as_boolean()) {
            item.kind = check_loans_toml_boolean;
            item.boolean = boolean->get();
        } else {
            item.kind = kind(node);
        }
        if (!number.empty()) {
            item.text = number.data();
            item.length = number.size();
        }
        take(context, &item);
        if (item.kind != check_loans_toml_table && item.kind != check_loans_toml_array) return;
        if (depth < deepest) {
            if (const auto *table = node.as_table()) {
                for (auto &&[key, value] : *table) give(value, &key, depth + 1);
            } else if (const auto *array = node.as_array()) {
                for (auto &&value : *array) give(value, nullptr, depth + 1);
            }
        }
        item.kind = check_loans_toml_end;
        take(context, &item);
    }

    static check_loans_toml_kind kind(const toml::node &node) {
        switch (node.type()) {
        case toml::node_type::table: return check_loans_toml_table;
        case toml::node_type::array: return check_loans_toml_array;
        case toml::node_type::date: return check_loans_toml_date;
        case toml::node_type::time: return check_loans_toml_time;
        default: return check_loans_toml_date_time;
        }
    }
};

} // namespace

bool check_loans_toml_read(const char *text, size_t length, void *context,
                           void (*take)(void *, const check_loans_toml_item *),
                           check_loans_toml_error *error) {
    const auto result = toml::parse(std::string_view(text, length));
    if (result) {
        Walk{context, take}.give(result.table(), nullptr, 0);
        return true;
    }
    const auto words = result.error().description();
    const auto count = std::min(words.size(), sizeof(error->text) - 1);
    std::copy_n(words.data(), count, error->text);
    error->text[count] = 0;
    error->line = result.error().source().begin.line;
    error->column = result.error().source().begin.column;
    return false;
}
