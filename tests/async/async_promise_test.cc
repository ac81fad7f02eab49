#include "lockstep/async_promise.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "lockstep/sleep.h"
#include "lockstep/when_all.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

class AsyncPromiseTest : public SimulatedSessionTest {
 protected:
  Task<void> set_later(std::string value) {
    static_cast<void>(co_await sleep_for(executor_, 1s));
    promise_.set(std::move(value));
  }

  Executor& executor_ = session_->executor();
  AsyncPromise<std::string> promise_{executor_};
};

TEST_F(AsyncPromiseTest, EarlierAndLaterGetsReturnItsValue) {
  const auto got = simulation_.run(when_all(promise_.get(), promise_.get(), set_later("value")));
  EXPECT_EQ(std::get<0>(got), "value");
  EXPECT_EQ(std::get<1>(got), "value");
  EXPECT_EQ(simulation_.run(promise_.get()), "value");
}

TEST_F(AsyncPromiseTest, AGetEndsWithItsContext) {
  EXPECT_EQ(simulation_.run(promise_.get(Context(simulation_.now() + 1s))),
            failure(Error::kTimedOut));
  EXPECT_FALSE(promise_.is_set());
}

TEST_F(AsyncPromiseTest, SettingItTwiceIsMisuse) {
  promise_.set("once");
  EXPECT_DEATH(promise_.set("twice"), "misuse: a promise is set twice");
}

}  // namespace
}  // namespace lockstep
