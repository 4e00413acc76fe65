/* Makes one of the system calls fail with which a program changes files below a directory, or reads
 * them.
 *
 * Preloaded (ld.so(8)) into the program under test. Its environment:
 *   FAULT_BELOW   the directory
 *   FAULT_ERRNO   the error, as a number
 *   FAULT_AT      which call fails, counted from 1
 *   FAULT_STAYS   1: all calls after it fail as well, as on a disk that stays full
 *   FAULT_READS   1: reads fail, rather than what changes files
 *   FAULT_REPORT  a file to which the name of each call that failed is appended
 *   FAULT_SYSTEM  the type of the file system that the directory seems to be on, as a number
 *
 * Only those calls are counted that may fail with the error according to their manual pages.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

enum call {
  OPENING, CREATING, OPENING_TO_WRITE, READING, WRITING, SYNCING, CUTTING, REMOVING, NAMING
};

static atomic_long passed;

static int may_fail(enum call call, int number) {
  const char *reads = getenv("FAULT_READS");
  if (reads && *reads == '1') return call == READING;
  if (call == READING) return 0;
  switch (number) {
    case EMFILE: case ENFILE:
      return call == OPENING || call == CREATING || call == OPENING_TO_WRITE;
    case EROFS:
      return call == CREATING || call == OPENING_TO_WRITE || call == REMOVING || call == NAMING;
    case ENOSPC: case EDQUOT:
      return call == CREATING || call == WRITING || call == CUTTING || call == NAMING;
    default:
      return call != OPENING;
  }
}

static void report(const char *name) {
  const char *path = getenv("FAULT_REPORT");
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
  int file = path ? real(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0) return;
  dprintf(file, "%s\n", name);
  close(file);
}

static int fails(enum call call, const char *name, const char *path) {
  const char *below = getenv("FAULT_BELOW"), *at = getenv("FAULT_AT");
  const char *error = getenv("FAULT_ERRNO"), *stays = getenv("FAULT_STAYS");
  if (!below || !at || !error || !path || strncmp(path, below, strlen(below)) != 0) return 0;
  int number = atoi(error);
  if (!may_fail(call, number)) return 0;
  long count = atomic_fetch_add(&passed, 1) + 1;
  if (stays && *stays == '1' ? count < atol(at) : count != atol(at)) return 0;
  report(name);
  errno = number;
  return 1;
}

static int descriptor_fails(enum call call, const char *name, int descriptor) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return fails(call, name, path);
}

static enum call kind_of_open(const char *path, int flags) {
  if ((flags & O_CREAT) && access(path, F_OK) != 0) return CREATING;
  return (flags & O_ACCMODE) == O_RDONLY ? OPENING : OPENING_TO_WRITE;
}

#define REAL(name, type, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = dlsym(RTLD_NEXT, name)

#define OPEN(function) \
  int function(const char *path, int flags, ...) { \
    va_list list; \
    va_start(list, flags); \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0; \
    va_end(list); \
    REAL(#function, int, const char *, int, ...); \
    if (fails(kind_of_open(path, flags), #function, path)) return -1; \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(function) \
  int function(int directory, const char *path, int flags, ...) { \
    va_list list; \
    va_start(list, flags); \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0; \
    va_end(list); \
    REAL(#function, int, int, const char *, int, ...); \
    if (fails(kind_of_open(path, flags), #function, path)) return -1; \
    return real(directory, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

#define PREAD(function) \
  ssize_t function(int descriptor, void *bytes, size_t count, off_t offset) { \
    REAL(#function, ssize_t, int, void *, size_t, off_t); \
    if (descriptor_fails(READING, #function, descriptor)) return -1; \
    return real(descriptor, bytes, count, offset); \
  }
PREAD(pread)
PREAD(pread64)

ssize_t write(int descriptor, const void *bytes, size_t count) {
  REAL("write", ssize_t, int, const void *, size_t);
  if (descriptor_fails(WRITING, "write", descriptor)) return -1;
  return real(descriptor, bytes, count);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  REAL("writev", ssize_t, int, const struct iovec *, int);
  if (descriptor_fails(WRITING, "writev", descriptor)) return -1;
  return real(descriptor, parts, count);
}

#define PWRITE(function, offset_type) \
  ssize_t function(int descriptor, const void *bytes, size_t count, offset_type offset) { \
    REAL(#function, ssize_t, int, const void *, size_t, offset_type); \
    if (descriptor_fails(WRITING, #function, descriptor)) return -1; \
    return real(descriptor, bytes, count, offset); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define ON_DESCRIPTOR(function, call) \
  int function(int descriptor) { \
    REAL(#function, int, int); \
    if (descriptor_fails(call, #function, descriptor)) return -1; \
    return real(descriptor); \
  }
ON_DESCRIPTOR(fsync, SYNCING)
ON_DESCRIPTOR(fdatasync, SYNCING)

#define TRUNCATE(function, offset_type) \
  int function(int descriptor, offset_type length) { \
    REAL(#function, int, int, offset_type); \
    if (descriptor_fails(CUTTING, #function, descriptor)) return -1; \
    return real(descriptor, length); \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define ALLOCATE(function, offset_type) \
  int function(int descriptor, offset_type start, offset_type length) { \
    REAL(#function, int, int, offset_type, offset_type); \
    if (descriptor_fails(CUTTING, #function, descriptor)) return errno; \
    return real(descriptor, start, length); \
  }
ALLOCATE(posix_fallocate, off_t)
ALLOCATE(posix_fallocate64, off64_t)

int unlink(const char *path) {
  REAL("unlink", int, const char *);
  if (fails(REMOVING, "unlink", path)) return -1;
  return real(path);
}

int mkdir(const char *path, mode_t mode) {
  REAL("mkdir", int, const char *, mode_t);
  if (fails(CREATING, "mkdir", path)) return -1;
  return real(path, mode);
}

int rename(const char *path, const char *other) {
  REAL("rename", int, const char *, const char *);
  if (fails(NAMING, "rename", path)) return -1;
  return real(path, other);
}

int renameat2(int from, const char *path, int to, const char *other, unsigned flags) {
  REAL("renameat2", int, int, const char *, int, const char *, unsigned);
  if (fails(NAMING, "renameat2", path)) return -1;
  return real(from, path, to, other, flags);
}

int link(const char *path, const char *other) {
  REAL("link", int, const char *, const char *);
  if (fails(NAMING, "link", path)) return -1;
  return real(path, other);
}

int statfs(const char *path, struct statfs *status) {
  int (*real)(const char *, struct statfs *) = dlsym(RTLD_NEXT, "statfs");
  int result = real(path, status);
  const char *below = getenv("FAULT_BELOW"), *type = getenv("FAULT_SYSTEM");
  if (result == 0 && below && type && strncmp(path, below, strlen(below)) == 0) {
    status->f_type = strtol(type, NULL, 0);
  }
  return result;
}
