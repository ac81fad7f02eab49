#include "processors.h"

#include <errno.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "calls.h"
#include "handled.h"
#include "real.h"

namespace lockstep::intercept {

int choose_processors(Thread& thread, std::size_t size, const cpu_set_t* processors) {
  if (CPU_COUNT_S(size, processors) == 0) return EINVAL;
  thread.scheduling.processors.assign(reinterpret_cast<const char*>(processors), size);
  return 0;
}

void show_processors(const Thread& thread, std::size_t size, cpu_set_t* processors) {
  CPU_ZERO_S(size, processors);
  const std::string& chosen = thread.scheduling.processors;
  ::memcpy(processors, chosen.data(), std::min(size, chosen.size()));
  if (!chosen.empty()) return;
  for (std::size_t i = 0; i < std::size_t{kProcessors}; ++i) CPU_SET_S(i, size, processors);
}

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

int get_nprocs() noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(get_nprocs)());
  return kProcessors;
}

int get_nprocs_conf() noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(get_nprocs_conf)());
  return kProcessors;
}

long sysconf(int name) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sysconf)(name));
  const bool is_count = name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF;
  return is_count ? kProcessors : LOCKSTEP_REAL(sysconf)(name);
}

int sched_getcpu() noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sched_getcpu)());
  return 0;
}

// A number of a process or thread stands for the running thread in the next two.
int sched_getaffinity(pid_t thread, size_t size, cpu_set_t* processors) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sched_getaffinity)(thread, size, processors));
  show_processors(*execution->running(), size, processors);
  return 0;
}

int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t* processors) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(sched_setaffinity)(thread, size, processors));
  const int error = choose_processors(*execution->running(), size, processors);
  return error == 0 ? 0 : (errno = error, -1);
}

}  // extern "C"

LOCKSTEP_LINKED(processors)
