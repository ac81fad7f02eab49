#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>

#include <cstdarg>
#include <cstddef>

// The functions of libc that code compiled with _FORTIFY_SOURCE calls. No header of libc declares
// all of them.
extern "C" {
ssize_t __read_chk(int file, void* into, size_t size, size_t room);
ssize_t __pread_chk(int file, void* into, size_t size, off_t offset, size_t room);
ssize_t __pread64_chk(int file, void* into, size_t size, off64_t offset, size_t room);
ssize_t __recv_chk(int file, void* into, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int file, void* into, size_t size, size_t room, int flags, sockaddr* from,
                       socklen_t* length);
int __poll_chk(pollfd* files, nfds_t count, int timeout_ms, size_t room);
int __ppoll_chk(pollfd* files, nfds_t count, const timespec* time, const sigset_t* signals,
                size_t room);
int __dprintf_chk(int file, int flag, const char* format, ...);
int __vdprintf_chk(int file, int flag, const char* format, va_list arguments);
int __open_2(const char* path, int flags);
int __open64_2(const char* path, int flags);
int __openat_2(int folder, const char* path, int flags);
int __openat64_2(int folder, const char* path, int flags);
int __gethostname_chk(char* name, size_t size, size_t room);
}
