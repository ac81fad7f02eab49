#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <memory>
#include <string_view>

#include "calls.h"
#include "chance.h"
#include "descriptors.h"
#include "handled.h"
#include "real.h"
#include "streams.h"

// The random devices in /dev, as descriptors and as libc's streams.

namespace lockstep::intercept {

namespace {

class ChanceFile final : public Descriptor {
 public:
  explicit ChanceFile(Execution& execution) : execution_(execution) {}
  short ready() override { return POLLIN | POLLOUT; }
  ssize_t read(char* into, std::size_t size) override {
    fill(execution_, into, size);
    return static_cast<ssize_t>(size);
  }
  // Bytes from a program add nothing to the chance of an execution.
  ssize_t write(std::string_view bytes) override { return static_cast<ssize_t>(bytes.size()); }
  [[nodiscard]] bool has_offsets() const override { return true; }

 private:
  Execution& execution_;
};

bool is_chance(const char* path) {
  const std::string_view asked = path;
  return asked == "/dev/urandom" || asked == "/dev/random";
}

int open_chance(Execution& execution) {
  return execution.descriptors().add(std::make_shared<ChanceFile>(execution));
}

// std::ifstream reads from the stream's descriptor, and fread() from the stream.
FILE* open_chance_stream(Execution& execution, const char* mode) {
  const int file = open_chance(execution);
  if (file < 0) return nullptr;
  FILE* const stream = open_stream(file, mode);
  if (!stream) execution.descriptors().close(file);
  return stream;
}

// Other processes can read the file.
void opens_file(Execution& execution, int flags) {
  if ((flags & O_ACCMODE) != O_RDONLY) execution.becomes_observable();
}

void opens_stream(Execution& execution, std::string_view mode) {
  if (mode.find_first_of("wa+") != mode.npos) execution.becomes_observable();
}

mode_t mode_of(int flags, va_list arguments) {
  const bool has_mode = (flags & (O_CREAT | O_TMPFILE)) != 0;
  return has_mode ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(open)(path, flags, mode));
  if (is_chance(path)) return open_chance(*execution);
  opens_file(*execution, flags);
  return LOCKSTEP_REAL(open)(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(open64)(path, flags, mode));
  if (is_chance(path)) return open_chance(*execution);
  opens_file(*execution, flags);
  return LOCKSTEP_REAL(open64)(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(openat)(folder, path, flags, mode));
  if (is_chance(path)) return open_chance(*execution);
  opens_file(*execution, flags);
  return LOCKSTEP_REAL(openat)(folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(openat64)(folder, path, flags, mode));
  if (is_chance(path)) return open_chance(*execution);
  opens_file(*execution, flags);
  return LOCKSTEP_REAL(openat64)(folder, path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(fopen)(path, mode));
  if (is_chance(path)) return open_chance_stream(*execution, mode);
  opens_stream(*execution, mode);
  return LOCKSTEP_REAL(fopen)(path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(fopen64)(path, mode));
  if (is_chance(path)) return open_chance_stream(*execution, mode);
  opens_stream(*execution, mode);
  return LOCKSTEP_REAL(fopen64)(path, mode);
}

}  // extern "C"

LOCKSTEP_LINKED(chance_files)
