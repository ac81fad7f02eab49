#include "lockstep/async_event.h"

#include <gtest/gtest.h>

#include <stop_token>
#include <tuple>
#include <utility>

#include "lockstep/sleep.h"
#include "lockstep/when_all.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

class AsyncEventTest : public SimulatedSessionTest {
 protected:
  Task<Result<void>> wait(Context context = {}) {
    const Result<void> result = co_await event_.wait(std::move(context));
    ++woken_;
    co_return result;
  }
  Task<void> set_later(Duration delay) {
    static_cast<void>(co_await sleep_for(executor_, delay));
    event_.set();
    EXPECT_EQ(woken_, 0);  // They resume through the executor's queue.
  }

  Executor& executor_ = session_->executor();
  AsyncEvent event_{executor_};
  int woken_ = 0;
};

TEST_F(AsyncEventTest, SettingItResumesAllWaiters) {
  const auto ended = simulation_.run(when_all(wait(), wait(), set_later(1s)));
  EXPECT_TRUE(std::get<0>(ended));
  EXPECT_TRUE(std::get<1>(ended));
  EXPECT_EQ(woken_, 2);
}

TEST_F(AsyncEventTest, AWaitForASetEventIsOverAtOnce) {
  event_.set();
  event_.set();
  EXPECT_TRUE(event_.is_set());
  const TimePoint before = simulation_.now();
  EXPECT_TRUE(simulation_.run(wait()));
  EXPECT_EQ(simulation_.now(), before);
}

TEST_F(AsyncEventTest, AfterAResetWaitsWaitAgain) {
  event_.set();
  event_.reset();
  EXPECT_FALSE(event_.is_set());
  EXPECT_EQ(simulation_.run(wait(Context(simulation_.now() + 1s))), failure(Error::kTimedOut));
}

TEST_F(AsyncEventTest, AWaitEndsWithItsContext) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(simulation_.run(wait(Context(stop.get_token()))), failure(Error::kCancelled));
  // The event forgets a wait that has ended, and does not wake it.
  EXPECT_EQ(simulation_.run(wait(Context(simulation_.now() + 1s))), failure(Error::kTimedOut));
  event_.set();
  EXPECT_EQ(woken_, 2);
}

TEST_F(AsyncEventTest, AnEventThatIsSetWasThereBeforeTheEndOfALaterWait) {
  event_.set();
  EXPECT_TRUE(simulation_.run(wait(Context(simulation_.now()))));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(simulation_.run(wait(Context(stop.get_token()))));
}

TEST_F(AsyncEventTest, ADestroyedWaitIsForgotten) {
  {
    TaskSet tasks;
    const auto waits = [](AsyncEvent& event) -> Task<void> {
      static_cast<void>(co_await event.wait());
    };
    tasks.spawn(waits(event_));
  }
  event_.set();
  EXPECT_TRUE(simulation_.run(wait()));
}

}  // namespace
}  // namespace lockstep
