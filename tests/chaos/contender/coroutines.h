#pragma once

#include "chaos/contender/use.h"

namespace lockstep::chaos {

// Contends with coroutines, on several sessions of one loop, until the driver stops it.
void contend_with_coroutines(Process& process);

}  // namespace lockstep::chaos
