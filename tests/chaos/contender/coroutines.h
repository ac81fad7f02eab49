#pragma once

#include "chaos/contender/use.h"

namespace lockstep::chaos {

// Contends with coroutines, several sessions on one loop, until the driver has had enough.
void contend_with_coroutines(Process& process);

}  // namespace lockstep::chaos
