#include "lockstep/task.h"

#include <gtest/gtest.h>

#include <coroutine>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lockstep/ok.h"
#include "lockstep/task_set.h"

namespace lockstep {
namespace {

using Journal = std::vector<std::string>;

// Records when it is destroyed.
class Local {
 public:
  Local(Journal& journal, std::string called) : journal_(&journal), called_(std::move(called)) {}
  Local(const Local&) = delete;
  Local& operator=(const Local&) = delete;
  ~Local() { journal_->push_back("~" + called_); }

 private:
  Journal* journal_;
  std::string called_;
};

// Suspends the tasks that await it until it is opened.
class Gate {
 public:
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) { waiter_ = waiter; }
  void await_resume() const noexcept {}
  void open() { internal::run_coroutine(std::exchange(waiter_, nullptr)); }

 private:
  std::coroutine_handle<> waiter_;
};

Task<int> give(int value) { co_return value; }
Task<void> note(Journal& journal, std::string text) {
  journal.push_back(std::move(text));
  co_return;
}
Task<int> fail_with(std::string what) {
  throw std::runtime_error(what);
  co_return 0;
}

template <class T>
Task<void> keep(Task<T> task, std::optional<T>& result) {
  result.emplace(co_await std::move(task));
}
// The result of a task that never suspends for long.
template <class T>
std::optional<T> result_of(Task<T> task) {
  TaskSet tasks;
  std::optional<T> result;
  tasks.spawn(keep(std::move(task), result));
  if (tasks.failed()) std::rethrow_exception(tasks.first_exception());
  return result;
}

// ------------------------------------------------------------------------------------- Task

TEST(TaskTest, StartsOnlyWhenAwaited) {
  Journal journal;
  {
    const Task<void> never = note(journal, "never");
    EXPECT_FALSE(never.empty());
  }
  EXPECT_TRUE(journal.empty());
  TaskSet tasks;
  tasks.spawn(note(journal, "spawned"));
  EXPECT_EQ(journal, Journal{"spawned"});
}

TEST(TaskTest, ParametersOfATaskThatNeverRanAreDestroyed) {
  const auto shared = std::make_shared<int>(1);
  const auto hold = [](std::shared_ptr<int> held) -> Task<int> { co_return *held; };
  {
    const Task<int> never = hold(shared);
    EXPECT_EQ(shared.use_count(), 2);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(TaskTest, MovesAndCannotBeCopied) {
  static_assert(!std::is_copy_constructible_v<Task<int>>);
  static_assert(!std::is_copy_assignable_v<Task<int>>);
  Task<int> first = give(1);
  Task<int> second = std::move(first);
  EXPECT_TRUE(first.empty());
  Task<int> third = give(3);
  third = std::move(second);
  EXPECT_TRUE(second.empty());
  EXPECT_EQ(result_of(std::move(third)), 1);
}

TEST(TaskTest, AssignmentDestroysTheOldTask) {
  const auto shared = std::make_shared<int>(1);
  const auto hold = [](std::shared_ptr<int> held) -> Task<int> { co_return *held; };
  Task<int> task = hold(shared);
  task = give(2);
  EXPECT_EQ(shared.use_count(), 1);
  EXPECT_EQ(result_of(std::move(task)), 2);
}

Task<std::string> join(Task<int> left, Task<int> right) {
  const int first = co_await std::move(left);
  const int second = co_await std::move(right);
  co_return std::to_string(first) + std::to_string(second);
}

TEST(TaskTest, PassesValuesOn) { EXPECT_EQ(result_of(join(give(1), give(2))), "12"); }

Task<std::unique_ptr<int>> give_unique() { co_return std::make_unique<int>(5); }
Task<int> take_unique() {
  const std::unique_ptr<int> got = co_await give_unique();
  co_return *got;
}

TEST(TaskTest, PassesValuesThatCannotBeCopied) { EXPECT_EQ(result_of(take_unique()), 5); }

Task<int> twice(Task<int> inner) { co_return 2 * co_await std::move(inner); }

TEST(TaskTest, PassesExceptionsOnThroughEveryLevel) {
  EXPECT_THROW(
      {
        try {
          static_cast<void>(result_of(twice(twice(fail_with("deep")))));
        } catch (const std::runtime_error& thrown) {
          EXPECT_STREQ(thrown.what(), "deep");
          throw;
        }
      },
      std::runtime_error);
}

Task<int> catch_it(Task<int> inner) {
  bool caught = false;
  try {
    co_return co_await std::move(inner);
  } catch (const std::runtime_error&) {
    caught = true;
  }
  co_return caught ? -1 : 0;
}

TEST(TaskTest, ExceptionCanBeCaughtByTheAwaitingTask) {
  EXPECT_EQ(result_of(catch_it(fail_with("caught"))), -1);
  EXPECT_EQ(result_of(catch_it(give(7))), 7);
}

Task<int> wait_with_local(Journal& journal, Gate& gate, std::string called) {
  const Local local(journal, called);
  co_await gate;
  journal.push_back(called + " resumed");
  co_return 1;
}
Task<int> wait_below(Journal& journal, Gate& gate) {
  const Local local(journal, "outer");
  co_return co_await wait_with_local(journal, gate, "inner");
}

TEST(TaskTest, DestroyedWhileSuspendedItDestroysItsLocalsInnermostFirst) {
  Journal journal;
  Gate gate;
  {
    TaskSet tasks;
    std::optional<int> result;
    tasks.spawn(keep(wait_below(journal, gate), result));
    EXPECT_TRUE(journal.empty());
  }
  EXPECT_EQ(journal, (Journal{"~inner", "~outer"}));
}

// The frame of a task is gone before its awaiter goes on.
Task<int> await_and_note(Journal& journal, Gate& gate) {
  const int value = co_await wait_with_local(journal, gate, "inner");
  journal.push_back("after");
  co_return value;
}

TEST(TaskTest, FinishedTaskIsDestroyedBeforeItsAwaiterGoesOn) {
  Journal journal;
  Gate gate;
  TaskSet tasks;
  std::optional<int> result;
  tasks.spawn(keep(await_and_note(journal, gate), result));
  gate.open();
  EXPECT_EQ(journal, (Journal{"inner resumed", "~inner", "after"}));
  EXPECT_EQ(result, 1);
}

Task<std::int64_t> add_up(int rounds) {
  std::int64_t sum = 0;
  for (int i = 0; i < rounds; ++i) sum += co_await give(i);
  co_return sum;
}

// Recursive resumption would need at least a hundred bytes of stack per task.
TEST(TaskTest, SynchronousCompletionsDoNotGrowTheStack) {
  EXPECT_EQ(result_of(add_up(200'000)), 19'999'900'000);
}

// ------------------------------------------------------------------------------------- ok()

Task<Result<int>> succeed(int value) { co_return value; }
Task<Result<int>> refuse(Error error) { co_return failure(error); }
Task<Result<void>> refuse_void(Error error) { co_return failure(error); }
Task<Result<void>> succeed_void() { co_return Result<void>(); }

Task<Result<int>> add(Journal& journal, Task<Result<int>> left, Task<Result<int>> right) {
  const Local local(journal, "add");
  const int first = co_await ok(std::move(left));
  journal.push_back("left is " + std::to_string(first));
  const int second = co_await ok(std::move(right));
  journal.push_back("right is " + std::to_string(second));
  co_return first + second;
}

TEST(OkTest, UnwrapsValues) {
  Journal journal;
  EXPECT_EQ(result_of(add(journal, succeed(1), succeed(2))), Result<int>(3));
  EXPECT_EQ(journal, (Journal{"left is 1", "right is 2", "~add"}));
}

TEST(OkTest, ErrorEndsTheCoroutineThereAndDestroysItsLocals) {
  Journal journal;
  EXPECT_EQ(result_of(add(journal, refuse(Error::kNoNode), succeed(2))),
            Result<int>(failure(Error::kNoNode)));
  EXPECT_EQ(journal, Journal{"~add"});
  journal.clear();
  EXPECT_EQ(result_of(add(journal, succeed(1), refuse(Error::kNoAuth))),
            Result<int>(failure(Error::kNoAuth)));
  EXPECT_EQ(journal, (Journal{"left is 1", "~add"}));
}

Task<Result<std::string>> other_type(Task<Result<void>> first, Result<int> second) {
  co_await ok(std::move(first));
  const int value = co_await ok(second);
  co_return std::to_string(value);
}

TEST(OkTest, AcceptsResultsOfOtherTypesAndReadyResults) {
  EXPECT_EQ(result_of(other_type(succeed_void(), 5)), Result<std::string>("5"));
  EXPECT_EQ(result_of(other_type(refuse_void(Error::kClosing), 5)),
            Result<std::string>(failure(Error::kClosing)));
  EXPECT_EQ(result_of(other_type(succeed_void(), failure(Error::kNoNode))),
            Result<std::string>(failure(Error::kNoNode)));
}

Task<Result<int>> level(Journal& journal, int depth, Task<Result<int>> bottom) {
  const Local local(journal, std::to_string(depth));
  if (depth == 0) co_return co_await ok(std::move(bottom));
  co_return 1 + co_await ok(level(journal, depth - 1, std::move(bottom)));
}
Task<std::string> describe(Task<Result<int>> task) {
  const Result<int> result = co_await std::move(task);
  co_return result ? std::to_string(*result) : std::string(name(result.error()));
}

TEST(OkTest, ErrorPassesThroughEveryLevelThatSaysOk) {
  Journal journal;
  EXPECT_EQ(result_of(describe(level(journal, 3, refuse(Error::kNotEmpty)))), "not empty");
  EXPECT_EQ(journal, (Journal{"~0", "~1", "~2", "~3"}));
  EXPECT_EQ(result_of(describe(level(journal, 3, succeed(10)))), "13");
}

Task<Result<int>> throw_below(Task<int> thrower) {
  const int value = co_await std::move(thrower);
  co_return value;
}
Task<Result<int>> ok_of_thrower() { co_return co_await ok(throw_below(fail_with("thrown"))); }

TEST(OkTest, ExceptionsPassThroughIt) {
  EXPECT_THROW(static_cast<void>(result_of(ok_of_thrower())), std::runtime_error);
}

Task<Result<int>> wait_and_refuse(Gate& gate) {
  co_await gate;
  co_return failure(Error::kSessionExpired);
}

TEST(OkTest, LaterErrorEndsTheCoroutineToo) {
  Journal journal;
  Gate gate;
  TaskSet tasks;
  std::optional<std::string> result;
  tasks.spawn(keep(describe(add(journal, succeed(1), wait_and_refuse(gate))), result));
  EXPECT_FALSE(result.has_value());
  gate.open();
  EXPECT_EQ(result, "session expired");
  EXPECT_EQ(journal, (Journal{"left is 1", "~add"}));
  EXPECT_TRUE(tasks.empty());
}

Task<Result<int>> count_oks(int rounds) {
  int count = 0;
  for (int i = 0; i < rounds; ++i) count += co_await ok(succeed(1));
  co_return count;
}
Task<Result<int>> refuse_below() { co_return co_await ok(refuse(Error::kNoNode)); }
Task<int> count_refusals(int rounds) {
  int count = 0;
  for (int i = 0; i < rounds; ++i) {
    const Result<int> refused = co_await refuse_below();
    if (!refused) ++count;
  }
  co_return count;
}

TEST(OkTest, SynchronousCompletionsDoNotGrowTheStack) {
  EXPECT_EQ(result_of(count_oks(200'000)), Result<int>(200'000));
  EXPECT_EQ(result_of(count_refusals(200'000)), 200'000);
}

// ------------------------------------------------------------------------------------ TaskSet

Task<void> wait_in_set(Journal& journal, Gate& gate, std::string called) {
  const Local local(journal, called);
  co_await gate;
  journal.push_back(called);
}
Task<void> throw_after(Gate& gate, std::string what) {
  co_await gate;
  throw std::runtime_error(what);
}

TEST(TaskSetTest, RunsEachTaskAtOnceUntilItWaits) {
  Journal journal;
  Gate gate;
  TaskSet tasks;
  EXPECT_TRUE(tasks.empty());
  tasks.spawn(note(journal, "first"));
  EXPECT_TRUE(tasks.empty());
  tasks.spawn(wait_in_set(journal, gate, "second"));
  EXPECT_FALSE(tasks.empty());
  gate.open();
  EXPECT_TRUE(tasks.empty());
  EXPECT_EQ(journal, (Journal{"first", "second", "~second"}));
}

TEST(TaskSetTest, ClearDestroysTheYoungestFirst) {
  Journal journal;
  Gate a;
  Gate b;
  Gate c;
  Gate d;
  TaskSet tasks;
  tasks.spawn(wait_in_set(journal, a, "a"));
  tasks.spawn(wait_in_set(journal, b, "b"));
  tasks.spawn(wait_in_set(journal, c, "c"));
  tasks.spawn(wait_in_set(journal, d, "d"));
  b.open();  // Ends in the middle of the list,
  d.open();  // and at its end.
  journal.clear();
  tasks.clear();
  EXPECT_EQ(journal, (Journal{"~c", "~a"}));
  EXPECT_TRUE(tasks.empty());
}

TEST(TaskSetTest, ReportsWhichTaskHasEndedByItself) {
  Journal journal;
  Gate ends;
  Gate throws;
  Gate never_opens;
  bool ended = false;
  bool thrown = false;
  bool destroyed = false;
  TaskSet tasks;
  tasks.spawn(wait_in_set(journal, ends, "a"), ended);
  tasks.spawn(throw_after(throws, "b"), thrown);
  tasks.spawn(wait_in_set(journal, never_opens, "c"), destroyed);
  EXPECT_FALSE(ended);
  ends.open();
  EXPECT_TRUE(ended);
  throws.open();
  EXPECT_TRUE(tasks.failed());
  EXPECT_FALSE(thrown);
  tasks.clear();
  EXPECT_FALSE(destroyed);
}

TEST(TaskSetTest, KeepsTheFirstException) {
  Gate first;
  Gate second;
  TaskSet tasks;
  tasks.spawn(throw_after(first, "first"));
  tasks.spawn(throw_after(second, "second"));
  EXPECT_FALSE(tasks.failed());
  second.open();
  first.open();
  ASSERT_TRUE(tasks.failed());
  try {
    std::rethrow_exception(tasks.first_exception());
  } catch (const std::runtime_error& thrown) {
    EXPECT_STREQ(thrown.what(), "second");
  }
  EXPECT_TRUE(tasks.empty());
  tasks.forget_exception();
  EXPECT_FALSE(tasks.failed());
  EXPECT_EQ(tasks.first_exception(), nullptr);
}

Task<void> spawn_another(Journal& journal, TaskSet& tasks, Gate& gate) {
  journal.push_back("before");
  tasks.spawn(wait_in_set(journal, gate, "inner"));
  journal.push_back("after");
  co_await give(1);
  journal.push_back("end");
}

TEST(TaskSetTest, TaskMaySpawnAnother) {
  Journal journal;
  Gate gate;
  TaskSet tasks;
  tasks.spawn(spawn_another(journal, tasks, gate));
  EXPECT_EQ(journal, (Journal{"before", "after", "end"}));
  gate.open();
  EXPECT_EQ(journal.back(), "~inner");
  EXPECT_TRUE(tasks.empty());
}

// Like a place in a queue: its destructor starts the cleanup.
class SpawnsOnDestruction {
 public:
  SpawnsOnDestruction(TaskSet& tasks, Journal& journal, Gate& gate)
      : tasks_(tasks), journal_(journal), gate_(gate) {}
  SpawnsOnDestruction(const SpawnsOnDestruction&) = delete;
  SpawnsOnDestruction& operator=(const SpawnsOnDestruction&) = delete;
  ~SpawnsOnDestruction() { tasks_.spawn(wait_in_set(journal_, gate_, "cleanup")); }

 private:
  TaskSet& tasks_;
  Journal& journal_;
  Gate& gate_;
};
Task<void> clean_up_later(TaskSet& tasks, Journal& journal, Gate& gate, Gate& never) {
  const SpawnsOnDestruction cleanup(tasks, journal, gate);
  co_await never;
}

// Like a held lock, which releases in the background.
class SpawnsWhenDestroyed {
 public:
  SpawnsWhenDestroyed(TaskSet& tasks, Journal& journal) : tasks_(&tasks), journal_(&journal) {}
  SpawnsWhenDestroyed(SpawnsWhenDestroyed&& other) noexcept
      : tasks_(std::exchange(other.tasks_, nullptr)), journal_(other.journal_) {}
  SpawnsWhenDestroyed& operator=(SpawnsWhenDestroyed&&) = delete;
  ~SpawnsWhenDestroyed() {
    if (tasks_) tasks_->spawn(note(*journal_, "spawned"));
  }

 private:
  TaskSet* tasks_;
  Journal* journal_;
};

Task<void> keep_to_its_end(SpawnsWhenDestroyed) { co_return; }
Task<void> go_on_after(TaskSet& tasks, Journal& journal) {
  SpawnsWhenDestroyed parameter(tasks, journal);
  co_await keep_to_its_end(std::move(parameter));
  journal.push_back("went on");
}

// A task's parameters are destroyed after it has chosen the next task to run.
TEST(TaskSetTest, TheAwaiterGoesOnIfAParameterSpawnsAtTheEndOfItsTask) {
  Journal journal;
  TaskSet tasks;
  tasks.spawn(go_on_after(tasks, journal));
  EXPECT_EQ(journal, Journal({"spawned", "went on"}));
  EXPECT_TRUE(tasks.empty());
}

TEST(TaskSetTest, ClearDestroysTasksThatItsTasksSpawnMeanwhile) {
  Journal journal;
  Gate gate;
  Gate never;
  TaskSet tasks;
  tasks.spawn(clean_up_later(tasks, journal, gate, never));
  tasks.clear();
  EXPECT_EQ(journal, Journal{"~cleanup"});
  EXPECT_TRUE(tasks.empty());
}

}  // namespace
}  // namespace lockstep
