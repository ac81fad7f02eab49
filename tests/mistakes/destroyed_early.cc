// A lock that is destroyed before its acquire's task, which has not even begun.
#include <optional>

#include "lockstep/internal/task_count.h"
#include "lockstep/task.h"

namespace {

using lockstep::Task;
using lockstep::internal::TaskCount;

class Lock {
 public:
  Task<int> acquire() { return acquire(TaskCount::One(tasks_)); }

 private:
  static Task<int> acquire(TaskCount::One) { co_return 7; }

  TaskCount tasks_{"a Lock must outlive the tasks of its acquires"};
};

}  // namespace

int main(int argc, char**) {
  std::optional<Lock> lock(std::in_place);
  std::optional<Task<int>> task(lock->acquire());
  if (argc > 1) task.reset();  // The correct order.
  lock.reset();
}
