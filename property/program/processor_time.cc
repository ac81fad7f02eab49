#include "processor_time.h"

#include <ctime>

namespace lockstep::program {

double processor_seconds() {
  constexpr double kNanosecond = 1e-9;
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * kNanosecond;
}

}  // namespace lockstep::program
