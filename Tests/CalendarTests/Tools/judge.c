/* Reads the calendars 0.ics, 1.ics, … of a directory with libical, and writes what it made of each beside
   it, as N.libical: the identity, the day, the summary, the description and the location of each entry,
   each text ended by NUL. Prints the number of errors, if there are some.

   usage: judge DIRECTORY COUNT */

#include <libical/ical.h>
#include <stdio.h>
#include <stdlib.h>

static void put(FILE *out, icalcomponent *component, icalproperty_kind kind)
{
	icalproperty *property = icalcomponent_get_first_property(component, kind);
	icalvalue *value = property == NULL ? NULL : icalproperty_get_value(property);
	const char *text = value == NULL ? "" : icalvalue_get_text(value);
	fputs(text == NULL ? icalproperty_get_value_as_string(property) : text, out);
	fputc(0, out);
}

static icalcomponent *parsed(const char *path)
{
	char *text = malloc(1 << 20);
	FILE *file = fopen(path, "rb");
	if (file == NULL) {
		perror(path);
		exit(1);
	}
	text[fread(text, 1, (1 << 20) - 1, file)] = 0;
	fclose(file);
	icalcomponent *calendar = icalparser_parse_string(text);
	free(text);
	return calendar;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 64;
	for (int number = 0; number < atoi(argv[2]); number++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/%d.ics", argv[1], number);
		icalcomponent *calendar = parsed(path);
		if (calendar == NULL || icalcomponent_count_errors(calendar) != 0) {
			printf("%d: %d errors\n", number, calendar == NULL ? -1 : icalcomponent_count_errors(calendar));
			continue;
		}
		snprintf(path, sizeof path, "%s/%d.libical", argv[1], number);
		FILE *out = fopen(path, "wb");
		for (icalcomponent *entry = icalcomponent_get_first_component(calendar, ICAL_ANY_COMPONENT);
		     entry != NULL;
		     entry = icalcomponent_get_next_component(calendar, ICAL_ANY_COMPONENT)) {
			put(out, entry, ICAL_UID_PROPERTY);
			struct icaltimetype day = icalcomponent_isa(entry) == ICAL_VTODO_COMPONENT
				? icalcomponent_get_due(entry) : icalcomponent_get_dtstart(entry);
			fprintf(out, "%04d%02d%02d", day.year, day.month, day.day);
			fputc(0, out);
			put(out, entry, ICAL_SUMMARY_PROPERTY);
			put(out, entry, ICAL_DESCRIPTION_PROPERTY);
			put(out, entry, ICAL_LOCATION_PROPERTY);
		}
		fclose(out);
		icalcomponent_free(calendar);
	}
	return 0;
}
