/* Preloaded into any program, it lets threads stand still before and after their system calls, as a
 * busy host does:
 *
 *     STALL_PPM=3000 STALL_MS=2000 LD_PRELOAD=.../libmuster_stalls.so ctest -j 16 -R process_test
 *
 * STALL_PPM: how many of a million calls stall, none unless set; STALL_MS: for how long, a second
 * unless set. A test that fails over it knows something by time, or by who comes first, that it
 * should know by an event. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long from_environment(const char* name, long otherwise) {
  const char* text = getenv(name);
  return text != NULL ? strtol(text, NULL, 10) : otherwise;
}

/* By thread and time: no two runs stall alike, which is what they are for. */
static uint64_t draw(void) {
  static _Thread_local uint64_t state;
  static _Thread_local pid_t owner;
  const pid_t self = (pid_t)syscall(SYS_gettid);
  if (owner != self) { /* a new thread, or a forked child's first */
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    owner = self;
    state = (uint64_t)self * 0x9E3779B97F4A7C15U ^ (uint64_t)now.tv_nsec * 0xD1B54A32D192ED03U ^ 1U;
  }
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * 0x2545F4914F6CDD1DU >> 33;
}

static void stall(void) {
  static atomic_long ppm = -1;
  static atomic_long ms;
  if (ppm < 0) {
    ms = from_environment("STALL_MS", 1000);
    ppm = from_environment("STALL_PPM", 0);
  }
  if (draw() % 1000000 >= (uint64_t)ppm) return;
  const int error = errno;
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&time, NULL);  // taste: to stand still is what it is for
  errno = error;
}

#define STALLING(type, name, parameters, arguments)                       \
  type name parameters {                                                  \
    static type(*_Atomic real) parameters;                                \
    if (real == NULL) real = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
    stall();                                                              \
    const type result = real arguments;                                   \
    stall();                                                              \
    return result;                                                        \
  }

STALLING(ssize_t, read, (int fd, void* into, size_t room), (fd, into, room))
STALLING(ssize_t, recv, (int fd, void* into, size_t room, int flags), (fd, into, room, flags))
STALLING(ssize_t, recvmsg, (int fd, struct msghdr* into, int flags), (fd, into, flags))
STALLING(ssize_t, write, (int fd, const void* from, size_t size), (fd, from, size))
STALLING(ssize_t, writev, (int fd, const struct iovec* from, int count), (fd, from, count))
STALLING(ssize_t, send, (int fd, const void* from, size_t size, int flags), (fd, from, size, flags))
STALLING(ssize_t, sendmsg, (int fd, const struct msghdr* from, int flags), (fd, from, flags))
STALLING(int, poll, (struct pollfd * fds, nfds_t count, int ms), (fds, count, ms))
STALLING(int, ppoll,
         (struct pollfd * fds, nfds_t count, const struct timespec* time, const sigset_t* mask),
         (fds, count, time, mask))
STALLING(int, epoll_wait, (int fd, struct epoll_event* into, int room, int ms),
         (fd, into, room, ms))
STALLING(int, epoll_pwait,
         (int fd, struct epoll_event* into, int room, int ms, const sigset_t* mask),
         (fd, into, room, ms, mask))
STALLING(int, socket, (int family, int type, int protocol), (family, type, protocol))
STALLING(int, bind, (int fd, const struct sockaddr* at, socklen_t size), (fd, at, size))
STALLING(int, listen, (int fd, int queue), (fd, queue))
STALLING(int, accept4, (int fd, struct sockaddr* from, socklen_t* size, int flags),
         (fd, from, size, flags))
STALLING(int, connect, (int fd, const struct sockaddr* to, socklen_t size), (fd, to, size))
STALLING(int, shutdown, (int fd, int how), (fd, how))
STALLING(int, close, (int fd), (fd))
STALLING(int, unlink, (const char* path), (path))
STALLING(pid_t, waitpid, (pid_t pid, int* status, int options), (pid, status, options))
STALLING(pid_t, fork, (void), ())
