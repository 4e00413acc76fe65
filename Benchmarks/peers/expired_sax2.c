/* expired_sax2 YYYY.MM.DD CATALOGUE: print how many loans expired before that day. */

#include <stdio.h>
#include <string.h>

#include <libxml/parser.h>

struct count {
    const char *today;
    long expired;
    int in_expiration;
    size_t length;
    char text[16]; /* more than a date has; whatever is longer is none */
};

static void start_element(void *context, const xmlChar *name, const xmlChar *prefix,
                          const xmlChar *uri, int namespaces_count, const xmlChar **namespaces,
                          int attributes_count, int defaulted, const xmlChar **attributes)
{
    struct count *count = context;
    if (strcmp((const char *)name, "expiration") == 0) {
        count->in_expiration = 1;
        count->length = 0;
    }
}

/* Text may come in pieces. */
static void characters(void *context, const xmlChar *text, int length)
{
    struct count *count = context;
    if (!count->in_expiration)
        return;
    size_t room = sizeof count->text - count->length;
    size_t taken = (size_t)length < room ? (size_t)length : room;
    memcpy(count->text + count->length, text, taken);
    count->length += taken;
}

static void end_element(void *context, const xmlChar *name, const xmlChar *prefix,
                        const xmlChar *uri)
{
    struct count *count = context;
    if (!count->in_expiration)
        return;
    count->in_expiration = 0;
    size_t expected = strlen(count->today);
    if (count->length == expected && memcmp(count->text, count->today, expected) < 0)
        count->expired++;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: expired_sax2 YYYY.MM.DD CATALOGUE\n");
        return 64;
    }
    xmlSAXHandler handler = {
        .initialized = XML_SAX2_MAGIC,
        .startElementNs = start_element,
        .endElementNs = end_element,
        .characters = characters,
        .cdataBlock = characters,
    };
    struct count count = {.today = argv[1]};
    if (xmlSAXUserParseFile(&handler, &count, argv[2]) != 0) {
        fprintf(stderr, "%s: not well-formed\n", argv[2]);
        return 1;
    }
    printf("%ld\n", count.expired);
    return 0;
}
