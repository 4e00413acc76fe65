#define _GNU_SOURCE

#include "CArchive.h"

#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

// The functions that are used, each with the type that the header declares.
#define FUNCTIONS(each)                           \
  each(archive_read_new)                          \
  each(archive_read_support_filter_bzip2)         \
  each(archive_read_support_filter_xz)            \
  each(archive_read_support_filter_zstd)          \
  each(archive_read_support_format_raw)           \
  each(archive_read_support_format_zip_streamable)\
  each(archive_read_open)                         \
  each(archive_read_next_header)                  \
  each(archive_entry_pathname)                    \
  each(archive_read_data)                         \
  each(archive_read_free)

#define MEMBER(name) __typeof__(name) *name;
struct check_loans_archive {
  FUNCTIONS(MEMBER)
  struct archive *archive;
  gzFile file;
  /// errno of the read that failed.
  int failure;
  /// The bytes that have been read and not been looked at.
  size_t count;
  char buffer[65536];
};

static int load(struct check_loans_archive *library) {
  void *handle = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
#define LOOK_UP(name) \
  if (!(library->name = (__typeof__(name) *)dlsym(handle, #name))) return 0;
  FUNCTIONS(LOOK_UP)
  return 1;
}

static la_ssize_t read_file(struct archive *archive, void *context, const void **buffer) {
  (void)archive;
  struct check_loans_archive *self = context;
  *buffer = self->buffer;
  la_ssize_t count = self->count;
  self->count = 0;
  if (count == 0) count = gzread(self->file, self->buffer, sizeof self->buffer);
  if (count < 0) self->failure = errno;
  return count;
}

static int failed(const struct check_loans_archive *self) {
  errno = self->failure;
  return -1;
}

struct check_loans_archive *check_loans_archive_open(gzFile file, const void *first, size_t count,
                                                     int is_zip) {
  struct check_loans_archive *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  if (!load(self) || !(self->archive = self->archive_read_new())) {
    free(self);
    return NULL;
  }
  self->file = file;
  self->count = count;
  memcpy(self->buffer, first, count);
  if (is_zip) {
    self->archive_read_support_format_zip_streamable(self->archive);
  } else {
    self->archive_read_support_filter_bzip2(self->archive);
    self->archive_read_support_filter_xz(self->archive);
    self->archive_read_support_filter_zstd(self->archive);
    self->archive_read_support_format_raw(self->archive);
  }
  // What it cannot open is reported when it is read.
  self->archive_read_open(self->archive, self, NULL, read_file, NULL);
  return self;
}

int check_loans_archive_next(struct check_loans_archive *self, const char **name) {
  struct archive_entry *entry;
  // Names are converted to the locale's encoding, and lost if that is ASCII.
  locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  locale_t before = uselocale(locale);
  int status = self->archive_read_next_header(self->archive, &entry);
  uselocale(before);
  if (locale) freelocale(locale);
  if (status == ARCHIVE_EOF) return 0;
  if (status < ARCHIVE_WARN) return failed(self);
  *name = self->archive_entry_pathname(entry);
  return 1;
}

ptrdiff_t check_loans_archive_read(struct check_loans_archive *self, void *buffer,
                                   size_t capacity) {
  la_ssize_t count = self->archive_read_data(self->archive, buffer, capacity);
  return count < 0 ? failed(self) : count;
}

void check_loans_archive_close(struct check_loans_archive *self) {
  self->archive_read_free(self->archive);
  free(self);
}
