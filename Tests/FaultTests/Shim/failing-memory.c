/* Makes one of the allocations fail that libxml2 asks for.
 *
 * Preloaded (ld.so(8)) into the program under test, which gives libxml2 functions of its own to ask
 * for memory (xmlMemSetup); those that they call fail. Its environment:
 *   FAULT_AT      which allocation fails, counted from 1
 *   FAULT_STAYS   1: all that libxml2 asks for after it fail as well
 *   FAULT_REPORT  a file to which a line is appended when one fails
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*release)(void *);
typedef void *(*allocation)(size_t);
typedef void *(*change)(void *, size_t);
typedef char *(*copying)(const char *);

void *__libc_malloc(size_t size);
void *__libc_realloc(void *old, size_t size);

static allocation allocate;
static change reallocate;
static copying copy;
static _Thread_local int is_for_library;

static void *allocate_for_library(size_t size) {
  is_for_library = 1;
  void *memory = allocate(size);
  is_for_library = 0;
  return memory;
}

static void *reallocate_for_library(void *old, size_t size) {
  is_for_library = 1;
  void *memory = reallocate(old, size);
  is_for_library = 0;
  return memory;
}

static char *copy_for_library(const char *text) {
  is_for_library = 1;
  char *memory = copy(text);
  is_for_library = 0;
  return memory;
}

int xmlMemSetup(release free, allocation malloc, change realloc, copying strdup) {
  allocate = malloc, reallocate = realloc, copy = strdup;
  int (*real)(release, allocation, change, copying) = dlsym(RTLD_NEXT, "xmlMemSetup");
  return real(free, allocate_for_library, reallocate_for_library, copy_for_library);
}

static int fails(void) {
  static atomic_long passed;
  if (!is_for_library) return 0;
  const char *at = getenv("FAULT_AT"), *stays = getenv("FAULT_STAYS");
  long number = atomic_fetch_add(&passed, 1) + 1, wanted = at ? atol(at) : 0;
  if (stays && *stays == '1' ? number < wanted : number != wanted) return 0;
  const char *path = getenv("FAULT_REPORT");
  int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file >= 0) {
    ssize_t written = write(file, "failed\n", 7);
    (void)written;
    close(file);
  }
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }

void *realloc(void *old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }
