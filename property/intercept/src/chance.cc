#include "chance.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string_view>

#include "calls.h"
#include "handled.h"
#include "lockstep/intercept/randomness.h"
#include "real.h"

// Random numbers, and facts about the machine. They are the same in each execution: code under test
// uses them to distinguish clients, and a hunt does not vary them. erand48(), nrand48(), jrand48()
// and rand_r() compute from their caller's own state.

namespace lockstep::intercept {

void fill(Execution& execution, void* bytes, std::size_t size) {
  auto* to = static_cast<unsigned char*>(bytes);
  while (size > 0) {
    const std::uint64_t word = execution.entropy().next();
    const std::size_t part = std::min(size, sizeof word);
    std::memcpy(to, &word, part);
    to += part;
    size -= part;
  }
}

namespace {

constexpr std::string_view kHostName = "simulated";

std::uint64_t word(Execution& execution) { return execution.randomness().next(); }

double fraction(Execution& execution) {
  constexpr int kBits = 53;
  return static_cast<double>(word(execution) >> (64 - kBits)) /
         static_cast<double>(std::uint64_t{1} << kBits);
}

// The seeds of seed48() and lcong48() have 48 bits.
constexpr std::size_t kSeedWords = 3;

void reseed(Execution& execution, const unsigned short* words) {
  std::uint64_t seed = 0;
  std::memcpy(&seed, words, kSeedWords * sizeof *words);
  execution.randomness().seed(seed);
}

int number(Execution& execution) { return static_cast<int>(word(execution) & 0x7fffffff); }

}  // namespace

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

// libstdc++'s definition reads the processor's random numbers, which is no call of libc.
namespace std {
random_device::result_type random_device::_M_getval() {
  using Getval = result_type(random_device*);
  static constinit Real<Getval> real("_ZNSt13random_device9_M_getvalEv");
  LOCKSTEP_INTERCEPT(execution, real.get()(this));
  return static_cast<result_type>(execution->entropy().next());
}
}  // namespace std

extern "C" {

long random() noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(random)());
  return number(*execution);
}

void srandom(unsigned seed) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(srandom)(seed));
  execution->randomness().seed(seed);
}

int rand() noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(rand)());
  return number(*execution);
}

void srand(unsigned seed) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(srand)(seed));
  execution->randomness().seed(seed);
}

double drand48() noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(drand48)());
  return fraction(*execution);
}

long lrand48() noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(lrand48)());
  return number(*execution);
}

long mrand48() noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(mrand48)());
  return static_cast<std::int32_t>(word(*execution));
}

void srand48(long seed) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(srand48)(seed));
  execution->randomness().seed(static_cast<std::uint64_t>(seed));
}

// Returns a drawn word in place of the former state. A sequence that is restored from it is another
// one, but the same in each execution.
unsigned short* seed48(unsigned short* seed) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(seed48)(seed));
  static unsigned short before[kSeedWords];
  const std::uint64_t state = word(*execution);
  reseed(*execution, seed);
  std::memcpy(before, &state, sizeof before);
  return before;
}

// Ignores the parameters of the generator, which is another one here.
void lcong48(unsigned short* parameters) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(lcong48)(parameters));
  reseed(*execution, parameters);
}

ssize_t getrandom(void* bytes, size_t size, unsigned flags) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getrandom)(bytes, size, flags));
  fill(*execution, bytes, size);
  return static_cast<ssize_t>(size);
}

int getentropy(void* bytes, size_t size) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getentropy)(bytes, size));
  fill(*execution, bytes, size);
  return 0;
}

uint32_t arc4random() noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(arc4random)());
  return static_cast<uint32_t>(execution->entropy().next());
}

void arc4random_buf(void* bytes, size_t size) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(arc4random_buf)(bytes, size));
  fill(*execution, bytes, size);
}

uint32_t arc4random_uniform(uint32_t bound) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(arc4random_uniform)(bound));
  const std::uint64_t drawn = execution->entropy().next();
  return bound < 2 ? 0 : static_cast<uint32_t>(drawn % bound);
}

int gethostname(char* name, size_t size) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(gethostname)(name, size));
  if (size <= kHostName.size()) return errno = ENAMETOOLONG, -1;
  name[kHostName.copy(name, size)] = '\0';
  return 0;
}

int uname(utsname* name) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(uname)(name));
  *name = {};
  std::string_view("Linux").copy(name->sysname, sizeof name->sysname - 1);
  kHostName.copy(name->nodename, sizeof name->nodename - 1);
  std::string_view("6.1").copy(name->release, sizeof name->release - 1);
  std::string_view("x86_64").copy(name->machine, sizeof name->machine - 1);
  return 0;
}

// getlogin() and getpwuid_r() find no user: the real functions may ask services through sockets.
char* getlogin() {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getlogin)());
  errno = ENXIO;
  return nullptr;
}

int getpwuid_r(uid_t user, passwd* entry, char* buffer, size_t size, passwd** result) {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(getpwuid_r)(user, entry, buffer, size, result));
  *result = nullptr;
  return 0;
}

}  // extern "C"

LOCKSTEP_LINKED(chance)
