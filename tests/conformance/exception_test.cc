#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "conformance/conformance.h"
#include "lockstep/task_set.h"
#include "support/session_waits.h"

// An exception in user code ends only the task that threw it. All other requests and watches get
// their results. If no task handles the exception, the run of the executor rethrows it.
namespace lockstep::conformance {

namespace {

Task<void> throw_after_reading(Session& session, Path path) {
  const auto read = co_await session.get_data(path);
  throw std::runtime_error("thrown after a reply");
}

Task<void> throw_after_event(const Watch& watch) {
  const auto fired = co_await watch.fired();
  throw std::runtime_error("thrown after an event");
}

// The recorded states outlive the run.
class Recorder final : public SessionListener {
 public:
  Recorder(Session& session, std::vector<SessionState>& heard) : session_(session), heard_(heard) {
    session.add_listener(*this);
  }
  ~Recorder() { session_.remove_listener(*this); }

 private:
  void session_changed(SessionState state) override { heard_.push_back(state); }
  Session& session_;
  std::vector<SessionState>& heard_;
};

Task<void> throw_in_the_background(Lab& lab) {
  const auto session = co_await lab.open();
  session->in_background(throw_after_reading(*session, lab.parent()));
  const Watch never = co_await watch_exists(*session, lab.parent() / "never");
  static_cast<void>(co_await never.fired());
}

Task<void> throw_in_listeners(Lab& lab, std::vector<SessionState>& heard) {
  const auto session = co_await lab.open();
  const support::ThrowingListener told_last(*session);
  const Recorder recorder(*session, heard);
  const support::ThrowingListener told_first(*session);
  lab.cut(*session);
  const Watch never = co_await watch_exists(*session, lab.parent() / "never");
  static_cast<void>(co_await never.fired());
}

// The message of the exception that `test` throws; empty if it throws none.
std::string thrown_by(Lab& lab, Task<void> test) {
  try {
    lab.run(std::move(test));
  } catch (const std::exception& exception) {
    return exception.what();
  }
  return "";
}

}  // namespace

CONFORMANCE_TEST_IN_SESSION(AnExceptionAfterAReplyLosesNoOtherReply) {
  TaskSet tasks;
  auto before = session.get_data(lab.parent());
  tasks.spawn(throw_after_reading(session, lab.parent()));
  auto after = session.create(lab.parent() / "a", Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(co_await after), std::nullopt);
  EXPECT_TRUE(tasks.failed());
  EXPECT_TRUE(tasks.empty());
  EXPECT_EQ(error_of(co_await before), std::nullopt);
  EXPECT_EQ(error_of(co_await session.exists(lab.parent() / "a")), std::nullopt);
}

CONFORMANCE_TEST_IN_SESSION(AnExceptionAfterAnEventLosesNoOtherEvent) {
  const Watch first = co_await watch_data(session, lab.parent());
  const Watch second = co_await watch_data(session, lab.parent());
  const Watch third = co_await watch_exists(session, lab.parent());
  TaskSet tasks;
  tasks.spawn(throw_after_event(first));
  tasks.spawn(throw_after_event(third));
  co_await set_data(session, lab.parent(), "x");
  EXPECT_EQ((co_await event_of(second)).type(), EventType::kChanged);
  co_await settle(session, lab.parent());
  EXPECT_TRUE(tasks.failed());
  EXPECT_TRUE(tasks.empty());
}

TEST_P(Conformance, AnExceptionInTheBackgroundEndsTheRun) {
  const std::unique_ptr<Lab> lab = GetParam()();
  EXPECT_EQ(thrown_by(*lab, throw_in_the_background(*lab)), "thrown after a reply");
}

// The other listeners are notified before the run ends.
TEST_P(Conformance, AnExceptionInAListenerEndsTheRun) {
  std::vector<SessionState> heard;
  const std::unique_ptr<Lab> lab = GetParam()();
  EXPECT_EQ(thrown_by(*lab, throw_in_listeners(*lab, heard)), "listener: suspended");
  EXPECT_EQ(heard, std::vector<SessionState>{SessionState::kSuspended});
}

}  // namespace lockstep::conformance
