// A coroutine that runs off its end without a result. GCC 12 compiles it without a warning.
#include "lockstep/result.h"
#include "lockstep/task.h"
#include "lockstep/task_set.h"

namespace {

using lockstep::Result;
using lockstep::Task;

Task<Result<int>> lacks_its_return(bool returns) {
  if (returns) co_return 7;
}

Task<void> await_it(bool returns) { static_cast<void>(co_await lacks_its_return(returns)); }

}  // namespace

int main(int argc, char**) {
  lockstep::TaskSet tasks;
  tasks.spawn(await_it(argc > 1));
}
