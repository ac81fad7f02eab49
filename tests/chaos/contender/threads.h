#pragma once

#include "chaos/contender/use.h"

namespace lockstep::chaos {

// Contends with threads and the blocking locks, on one session, until the driver stops it.
void contend_with_threads(Process& process);

}  // namespace lockstep::chaos
