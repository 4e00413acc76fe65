#ifndef CHECK_LOANS_CLINUX_H
#define CHECK_LOANS_CLINUX_H

// What Swift's Glibc module leaves out, and what must be done in a signal handler. Only plain
// numbers are used here, since a type of the C library would become this module's own to Swift.

/// Makes a timer on the clock that shows the time; timerfd_create(2).
///
/// Returns its descriptor, non-blocking and not inherited by children, or -1 and errno.
int check_loans_make_timer(void);

/// Has a timer fire at an instant, counted in seconds from 1970, or at once if that has passed,
/// and also when the clock is set; timerfd_settime(2).
///
/// Returns 0, or -1 and errno.
int check_loans_set_timer(int timer, long second);

/// Starts a program in a process group of its own, without any signal blocked or ignored, with these
/// descriptors for its first three, or `/dev/null` where one is -1, and with no other ones;
/// posix_spawn(3).
///
/// If `isNoted`, it does not outlive a process that is ended by a signal, unless too many are noted. It
/// is to be forgotten before it is reaped, since its number may then become that of another process.
/// Until it is noted, this thread takes no signal, and one that ends the process waits for that.
///
/// Returns its number, or the negative of a number of errno(3).
int check_loans_start(const char *path, char *const *arguments, char *const *variables,
                      int input, int output, int errors, int isNoted);

/// Starts a program in this process group, so that it may use the terminal, with the same standard
/// output and error as this process, and otherwise like the others; posix_spawn(3).
///
/// Returns its number, or the negative of a number of errno(3).
int check_loans_start_in_foreground(const char *path, char *const *arguments,
                                    char *const *variables, int input);

/// Makes a descriptor, not inherited by children, that can be read from once a child has ended;
/// pidfd_open(2).
///
/// Returns it, or -1 and errno.
int check_loans_watch_child(int child);

/// Lets a child that was noted live longer than the process.
void check_loans_forget_child(int child);

/// Has a signal's number written, as a byte, into a non-blocking pipe, the same for all signals,
/// each time that it comes; sigaction(2).
///
/// One that stops is written only if it is the first of these. The next one ends the process, and
/// with SIGKILL the children that were noted, whatever the process is doing.
///
/// Children do not inherit this: execve(2) gives a caught signal its default meaning. Returns 0,
/// or -1 and errno.
int check_loans_catch_signal(int number, int pipe, int stops);

/// Has a signal end the process the first time that it comes, and with SIGKILL the children that
/// were noted; sigaction(2).
///
/// Returns 0, or -1 and errno.
int check_loans_end_with_children(int number);

/// Whether a signal is ignored, as SIGHUP is below nohup(1); sigaction(2).
int check_loans_is_ignored(int number);

/// Makes a file without a name that is kept in memory, not inherited by children; memfd_create(2).
///
/// Returns its descriptor, or -1 and errno.
int check_loans_make_memory_file(void);

/// Gives an open file the extended attributes of the one at a path, access control lists among
/// them; listxattr(2), getxattr(2), fsetxattr(2). Those that the system itself gives are left out.
///
/// Returns 0, or -1 and errno.
int check_loans_copy_attributes(const char *path, int file);

/// The columns that a terminal gives a character of Unicode: 0 to marks, 2 to those of East Asia and to
/// most emoji, and 1 to all others, and to all where the system has no tables for UTF-8; newlocale(3),
/// wcwidth(3).
int check_loans_columns(unsigned int character);

/// How many threads of the process can run at once, or 0 if the system does not tell;
/// sched_getaffinity(2).
int check_loans_processor_count(void);

/// The two numbers of a device, a dev_t; makedev(3).
unsigned int check_loans_device_major(unsigned long device);
unsigned int check_loans_device_minor(unsigned long device);

/// The type of the file system that a path is on, as in <linux/magic.h>, or 0 if it cannot be examined;
/// statfs(2).
unsigned int check_loans_file_system_type(const char *path);

#endif
