#include "fortified.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdarg>
#include <cstddef>

#include "handled.h"

// Code that is compiled with _FORTIFY_SOURCE calls these functions instead, which also check the
// size of the buffer.

extern "C" {

[[noreturn]] void __chk_fail() noexcept;

ssize_t __read_chk(int file, void* into, size_t size, size_t room) {
  if (size > room) __chk_fail();
  return ::read(file, into, size);
}

ssize_t __pread_chk(int file, void* into, size_t size, off_t offset, size_t room) {
  if (size > room) __chk_fail();
  return ::pread(file, into, size, offset);
}

ssize_t __pread64_chk(int file, void* into, size_t size, off64_t offset, size_t room) {
  return ::__pread_chk(file, into, size, offset, room);
}

ssize_t __recv_chk(int file, void* into, size_t size, size_t room, int flags) {
  if (size > room) __chk_fail();
  return ::recv(file, into, size, flags);
}

ssize_t __recvfrom_chk(int file, void* into, size_t size, size_t room, int flags, sockaddr* from,
                       socklen_t* length) {
  if (size > room) __chk_fail();
  return ::recvfrom(file, into, size, flags, from, length);
}

int __poll_chk(pollfd* files, nfds_t count, int timeout_ms, size_t room) {
  if (room / sizeof(pollfd) < count) __chk_fail();
  return ::poll(files, count, timeout_ms);
}

int __ppoll_chk(pollfd* files, nfds_t count, const timespec* time, const sigset_t* signals,
                size_t room) {
  if (room / sizeof(pollfd) < count) __chk_fail();
  return ::ppoll(files, count, time, signals);
}

int __vdprintf_chk(int file, int, const char* format, va_list arguments) {
  return ::vdprintf(file, format, arguments);
}

int __dprintf_chk(int file, int, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int size = ::vdprintf(file, format, arguments);
  va_end(arguments);
  return size;
}

int __open_2(const char* path, int flags) { return ::open(path, flags); }
int __open64_2(const char* path, int flags) { return ::open64(path, flags); }
int __openat_2(int folder, const char* path, int flags) { return ::openat(folder, path, flags); }
int __openat64_2(int folder, const char* path, int flags) {
  return ::openat64(folder, path, flags);
}

int __gethostname_chk(char* name, size_t size, size_t room) {
  if (size > room) __chk_fail();
  return ::gethostname(name, size);
}

}  // extern "C"

LOCKSTEP_LINKED(fortified)
