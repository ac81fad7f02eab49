// A C++ program without ZooKeeper that takes as many steps as chance decides:
//
//   chance SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

namespace {

constexpr char kDevice[] = "/dev/urandom";

std::uint32_t from_stream() {
  std::uint32_t value = 0;
  std::ifstream device(kDevice, std::ios::binary);
  if (!device.read(reinterpret_cast<char*>(&value), sizeof value)) std::exit(3);
  return value;
}

std::uint32_t from_stdio() {
  std::uint32_t value = 0;
  std::FILE* const device = std::fopen(kDevice, "rb");
  if (!device || std::fread(&value, sizeof value, 1, device) != 1) std::exit(4);
  if (std::fclose(device) != 0) std::exit(5);
  return value;
}

std::uint32_t from_openat() {
  std::uint32_t value = 0;
  const int device = ::openat(AT_FDCWD, kDevice, O_RDONLY);
  if (::read(device, &value, sizeof value) != sizeof value) std::exit(6);
  ::close(device);
  return value;
}

std::uint32_t from_buffer() {
  std::uint32_t value = 0;
  ::arc4random_buf(&value, sizeof value);
  return value;
}

// The same seed gives the same number, whatever other processes do meanwhile.
std::uint32_t from_seed() {
  std::srand(42);
  const int drawn = std::rand();
  std::srand(42);
  ::sched_yield();
  if (std::rand() != drawn) std::exit(8);
  return static_cast<std::uint32_t>(drawn);
}

// How much time the processor has spent differs from run to run.
std::uint32_t from_usage() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) std::exit(9);
  return static_cast<std::uint32_t>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

std::uint32_t from_times() {
  tms spent{};
  const clock_t now = ::times(&spent);
  return static_cast<std::uint32_t>(now + spent.tms_utime + spent.tms_stime);
}

std::uint32_t draw(const std::string& source) {
  if (source == "random_device") return std::random_device()();
  if (source == "ifstream") return from_stream();
  if (source == "fopen") return from_stdio();
  if (source == "openat") return from_openat();
  if (source == "arc4random_buf") return from_buffer();
  if (source == "arc4random_uniform") return ::arc4random_uniform(1 << 20);
  if (source == "srand") return from_seed();
  if (source == "getrusage") return from_usage();
  if (source == "times") return from_times();
  std::exit(7);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string source = argc > 1 ? argv[1] : "";
  for (std::uint32_t left = draw(source) % 64; left > 0; --left) ::sched_yield();
  return 0;
}
