// expired_pugixml YYYY.MM.DD CATALOGUE: print how many loans expired before that day.

#include <cstdio>
#include <cstring>

#include <pugixml.hpp>

int main(int argc, char** argv)
{
    if (argc != 3) {
        std::fprintf(stderr, "usage: expired_pugixml YYYY.MM.DD CATALOGUE\n");
        return 64;
    }
    const char* today = argv[1];
    pugi::xml_document catalogue;
    const pugi::xml_parse_result result = catalogue.load_file(argv[2]);
    if (!result) {
        std::fprintf(stderr, "%s: %s\n", argv[2], result.description());
        return 1;
    }
    long expired = 0;
    for (const pugi::xml_node book : catalogue.child("books").children("book")) {
        const char* expiration = book.child_value("expiration");
        if (*expiration != '\0' && std::strcmp(expiration, today) < 0)
            ++expired;
    }
    std::printf("%ld\n", expired);
}
