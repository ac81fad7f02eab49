#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "calls.h"
#include "descriptors.h"
#include "handled.h"
#include "real.h"
#include "streams.h"
#include "transfers.h"

// Calls for files, on descriptors of an execution: those that Linux has for pipes and sockets, too.

namespace lockstep::intercept {

namespace {

// libc calls these three for a stream, whose cookie is the number of the descriptor.
int number_of(void* cookie) { return static_cast<int>(reinterpret_cast<std::intptr_t>(cookie)); }
ssize_t read_stream(void* cookie, char* into, std::size_t size) {
  return ::read(number_of(cookie), into, size);
}
ssize_t write_stream(void* cookie, const char* bytes, std::size_t size) {
  return ::write(number_of(cookie), bytes, size);
}
int close_stream(void* cookie) { return ::close(number_of(cookie)); }

}  // namespace

FILE* open_stream(int file, const char* mode) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a cookie is a pointer.
  void* const cookie = reinterpret_cast<void*>(static_cast<std::intptr_t>(file));
  FILE* const stream = ::fopencookie(
      cookie, mode,
      {.read = &read_stream, .write = &write_stream, .seek = nullptr, .close = &close_stream});
  if (stream) stream->_fileno = file;
  return stream;
}

namespace {

int describe(Execution& execution, int file, struct stat& into) {
  const std::shared_ptr<Descriptor>& descriptor = execution.descriptors().find(file);
  if (!descriptor) return -1;
  into = {};
  into.st_mode = descriptor->type() | S_IRUSR | S_IWUSR;
  into.st_nlink = 1;
  into.st_blksize = 4096;
  return 0;
}

// Returns -1 with that error, or with EBADF if there is no such descriptor.
int fail(Execution& execution, int file, int error) {
  if (execution.descriptors().find(file)) errno = error;
  return -1;
}

int print(int file, const char* format, va_list arguments) {
  char* text = nullptr;
  const int size = ::vasprintf(&text, format, arguments);
  if (size < 0) return -1;
  const std::unique_ptr<char, decltype(&std::free)> own(text, &std::free);
  return static_cast<int>(::write(file, text, static_cast<std::size_t>(size)));
}

ssize_t fail_at(Execution& execution, int file, off_t offset) {
  return offset < 0 ? (errno = EINVAL, -1) : fail(execution, file, ESPIPE);
}

bool has_offsets(Execution& execution, int file) {
  const std::shared_ptr<Descriptor>& descriptor = execution.descriptors().find(file);
  return descriptor && descriptor->has_offsets();
}

constexpr char kRefused[] = "this function cannot be intercepted for a pipe or a socket";

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int fstat(int file, struct stat* into) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(fstat)(file, into));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(fstat)(file, into);
  return describe(*execution, file, *into);
}

int fstat64(int file, struct stat64* into) noexcept {
  static_assert(sizeof(struct stat64) == sizeof(struct stat));
  return ::fstat(file, reinterpret_cast<struct stat*>(into));
}

int isatty(int file) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(isatty)(file));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(isatty)(file);
  return fail(*execution, file, ENOTTY), 0;
}

off_t lseek(int file, off_t offset, int from) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(lseek)(file, offset, from));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(lseek)(file, offset, from);
  return fail(*execution, file, ESPIPE);
}

off64_t lseek64(int file, off64_t offset, int from) noexcept { return ::lseek(file, offset, from); }

// Defines `result name parameters` as a call that fails for descriptors of an execution.
#define LOCKSTEP_FAILS(result, name, parameters, arguments, failure)       \
  result name parameters {                                                 \
    LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(name) arguments);          \
    if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(name) arguments; \
    return failure;                                                        \
  }

LOCKSTEP_FAILS(int, fsync, (int file), (file), fail(*execution, file, EINVAL))
LOCKSTEP_FAILS(int, fdatasync, (int file), (file), fail(*execution, file, EINVAL))
LOCKSTEP_FAILS(int, ftruncate, (int file, off_t size) noexcept, (file, size),
               size < 0 ? (errno = EINVAL, -1) : fail(*execution, file, EINVAL))
int ftruncate64(int file, off64_t size) noexcept { return ::ftruncate(file, size); }

ssize_t pread(int file, void* into, size_t size, off_t offset) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pread)(file, into, size, offset));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(pread)(file, into, size, offset);
  if (offset < 0 || !has_offsets(*execution, file)) return fail_at(*execution, file, offset);
  return read_from(*execution, "pread", file, {static_cast<char*>(into), size});
}
ssize_t pread64(int file, void* into, size_t size, off64_t offset) {
  return ::pread(file, into, size, offset);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pwrite)(file, bytes, size, offset));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(pwrite)(file, bytes, size, offset);
  if (offset < 0 || !has_offsets(*execution, file)) return fail_at(*execution, file, offset);
  return write_to(*execution, "pwrite", file, {static_cast<const char*>(bytes), size});
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  return ::pwrite(file, bytes, size, offset);
}

LOCKSTEP_FAILS(ssize_t, preadv, (int file, const iovec* buffers, int count, off_t offset),
               (file, buffers, count, offset), fail_at(*execution, file, offset))
LOCKSTEP_FAILS(ssize_t, pwritev, (int file, const iovec* buffers, int count, off_t offset),
               (file, buffers, count, offset), fail_at(*execution, file, offset))
ssize_t preadv64(int file, const iovec* buffers, int count, off64_t offset) {
  return ::preadv(file, buffers, count, offset);
}
ssize_t pwritev64(int file, const iovec* buffers, int count, off64_t offset) {
  return ::pwritev(file, buffers, count, offset);
}

// An offset of -1 stands for none.
ssize_t preadv2(int file, const iovec* buffers, int count, off_t offset, int flags) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(preadv2)(file, buffers, count, offset, flags));
  if (!Descriptors::is_ours(file)) {
    return LOCKSTEP_REAL(preadv2)(file, buffers, count, offset, flags);
  }
  if (offset == -1) execution->refuse("preadv2", kRefused);
  return fail_at(*execution, file, offset);
}
ssize_t pwritev2(int file, const iovec* buffers, int count, off_t offset, int flags) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(pwritev2)(file, buffers, count, offset, flags));
  if (!Descriptors::is_ours(file)) {
    return LOCKSTEP_REAL(pwritev2)(file, buffers, count, offset, flags);
  }
  if (offset == -1) execution->refuse("pwritev2", kRefused);
  return fail_at(*execution, file, offset);
}

FILE* fdopen(int file, const char* mode) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(fdopen)(file, mode));
  if (!Descriptors::is_ours(file)) return LOCKSTEP_REAL(fdopen)(file, mode);
  return execution->descriptors().find(file) ? open_stream(file, mode) : nullptr;
}

int vdprintf(int file, const char* format, va_list arguments) {
  if (!Execution::of_caller() || !Descriptors::is_ours(file)) {
    return LOCKSTEP_REAL(vdprintf)(file, format, arguments);
  }
  return print(file, format, arguments);
}

int dprintf(int file, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int size = ::vdprintf(file, format, arguments);
  va_end(arguments);
  return size;
}

// Defines `result name parameters`, which only real descriptors may take.
#define LOCKSTEP_FOR_REAL_FILES(result, name, parameters, arguments, is_simulated) \
  result name parameters {                                                         \
    LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(name) arguments);                  \
    if (is_simulated) execution->refuse(#name, kRefused);                          \
    return LOCKSTEP_REAL(name) arguments;                                          \
  }

LOCKSTEP_FOR_REAL_FILES(ssize_t, sendfile, (int to, int from, off_t* offset, size_t count) noexcept,
                        (to, from, offset, count),
                        Descriptors::is_ours(to) || Descriptors::is_ours(from))
LOCKSTEP_FOR_REAL_FILES(ssize_t, splice,
                        (int from, off64_t* offset, int to, off64_t* into, size_t count,
                         unsigned flags),
                        (from, offset, to, into, count, flags),
                        Descriptors::is_ours(to) || Descriptors::is_ours(from))
LOCKSTEP_FOR_REAL_FILES(ssize_t, tee, (int from, int to, size_t count, unsigned flags),
                        (from, to, count, flags),
                        Descriptors::is_ours(to) || Descriptors::is_ours(from))
LOCKSTEP_FOR_REAL_FILES(ssize_t, vmsplice,
                        (int file, const iovec* buffers, size_t count, unsigned flags),
                        (file, buffers, count, flags), Descriptors::is_ours(file))
}  // extern "C"

LOCKSTEP_LINKED(file_calls)
