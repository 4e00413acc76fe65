/* Reads the messages 0.eml, 1.eml, … of a directory with GMime, and writes what it made of each beside
   it: N.headers (subject, names and addresses, each ended by NUL), N.text, N.html. Prints what GMime
   warns of.

   usage: judge DIRECTORY COUNT */

#include <gmime/gmime.h>
#include <stdio.h>
#include <stdlib.h>

static int current;

static void warn(gint64 offset, GMimeParserWarning code, const gchar *item, gpointer data)
{
	(void)data;
	printf("%d: warning %d at %ld: %s\n", current, (int)code, (long)offset, item ? item : "");
}

static FILE *made(const char *folder, const char *kind)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%d.%s", folder, current, kind);
	FILE *file = fopen(path, "wb");
	if (file == NULL) {
		perror(path);
		exit(1);
	}
	return file;
}

static void put(FILE *file, const char *text)
{
	fputs(text ? text : "", file);
	putc(0, file);
}

static void put_mailbox(FILE *file, InternetAddressList *list)
{
	if (list == NULL || internet_address_list_length(list) != 1) {
		printf("%d: not one address\n", current);
		return;
	}
	InternetAddress *address = internet_address_list_get_address(list, 0);
	put(file, internet_address_get_name(address));
	put(file, internet_address_mailbox_get_addr(INTERNET_ADDRESS_MAILBOX(address)));
}

static void put_part(const char *folder, const char *kind, GMimeMultipart *whole, int index)
{
	GMimeObject *part = g_mime_multipart_get_part(whole, index);
	if (!GMIME_IS_TEXT_PART(part)) {
		printf("%d: part %d is no text\n", current, index);
		return;
	}
	GMimeStream *stream = g_mime_stream_mem_new();
	g_mime_data_wrapper_write_to_stream(g_mime_part_get_content(GMIME_PART(part)), stream);
	GByteArray *bytes = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(stream));
	FILE *file = made(folder, kind);
	fwrite(bytes->data, 1, bytes->len, file);
	fclose(file);
	g_object_unref(stream);
}

static void judge(const char *folder)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%d.eml", folder, current);
	GMimeStream *stream = g_mime_stream_file_open(path, "r", NULL);
	GMimeParser *parser = g_mime_parser_new_with_stream(stream);
	GMimeParserOptions *options = g_mime_parser_options_new();
	g_mime_parser_options_set_warning_callback(options, warn, NULL);
	GMimeMessage *message = g_mime_parser_construct_message(parser, options);
	FILE *headers = made(folder, "headers");
	put(headers, g_mime_message_get_subject(message));
	put_mailbox(headers, g_mime_message_get_from(message));
	put_mailbox(headers, g_mime_message_get_to(message));
	put_mailbox(headers, g_mime_message_get_reply_to(message));
	fclose(headers);
	GMimeObject *body = g_mime_message_get_mime_part(message);
	if (GMIME_IS_MULTIPART(body) && g_mime_multipart_get_count(GMIME_MULTIPART(body)) == 2) {
		put_part(folder, "text", GMIME_MULTIPART(body), 0);
		put_part(folder, "html", GMIME_MULTIPART(body), 1);
	} else {
		printf("%d: not two parts\n", current);
	}
	g_object_unref(message);
	g_mime_parser_options_free(options);
	g_object_unref(parser);
	g_object_unref(stream);
}

int main(int count, char **words)
{
	if (count != 3)
		return 2;
	g_mime_init();
	for (current = 0; current < atoi(words[2]); current++)
		judge(words[1]);
	return 0;
}
