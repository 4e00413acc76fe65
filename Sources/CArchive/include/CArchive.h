// What is asked of libarchive: the documents in an archive, or the one in a compressed file.

#ifndef CHECK_LOANS_CARCHIVE_H
#define CHECK_LOANS_CARCHIVE_H

#include <stddef.h>
#include <zlib.h>

/// A ZIP archive, or a file compressed by bzip2, xz or zstd, that is read once from its beginning to
/// its end.
struct check_loans_archive;

/// Begins to read an archive.
///
/// libarchive is loaded when it is first asked for: it brings libraries along that are loaded more
/// slowly than the rest of the program starts. dlopen(3), archive_read_open(3).
///
/// `first`: the bytes that have been read already, at most 65,536; the others come from `file`.
/// `is_zip`: whether it is a ZIP archive.
///
/// Returns NULL if libarchive is not installed, or there is no memory.
struct check_loans_archive *check_loans_archive_open(gzFile file, const void *first, size_t count,
                                                     int is_zip);

/// Goes on to the next file in the archive. archive_read_next_header(3).
///
/// `name`: is set to its name, or to NULL if it cannot be read.
///
/// Returns 1, 0 if there are no more, or -1 if the archive is damaged or cannot be read; then errno is that of
/// the read that failed.
int check_loans_archive_next(struct check_loans_archive *archive, const char **name);

/// Reads what comes next of the file. archive_read_data(3).
///
/// Returns how many bytes there are, 0 at its end, or -1 as above, or if it is encrypted.
ptrdiff_t check_loans_archive_read(struct check_loans_archive *archive, void *buffer,
                                   size_t capacity);

void check_loans_archive_close(struct check_loans_archive *archive);

#endif
