#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "lockstep/sleep.h"
#include "support/by_hand.h"
#include "support/manual_executor.h"

namespace lockstep {
namespace {

using namespace unit;

// Closes its session when the session's contact becomes sure again.
class CloseOnContact final : public SessionListener {
 public:
  explicit CloseOnContact(Session& session) : session_(session) { session_.add_listener(*this); }
  CloseOnContact(const CloseOnContact&) = delete;
  CloseOnContact& operator=(const CloseOnContact&) = delete;
  ~CloseOnContact() { session_.remove_listener(*this); }

  void session_changed(SessionState state) override { heard.push_back(state); }
  void contact_changed(Contact contact) override {
    if (contact == Contact::kSure && !closing_) closing_.reset(new auto(session_.close()));
  }

  std::vector<SessionState> heard;

 private:
  Session& session_;
  std::unique_ptr<Operation<void>> closing_;
};

// The contact becomes sure before the session is connected again.
TEST(ContactListenerTest, AListenerMayCloseASessionThatReconnects) {
  Simulation simulation;
  const auto session = simulation.open("A");
  const ContactKeeper keeper(*session);
  simulation.hold_inbox(*session);
  simulation.advance(session->timeout() * 85 / 100);
  CloseOnContact listener(*session);
  simulation.let_go(*session);
  simulation.cut(*session);
  simulation.settle();
  EXPECT_EQ(session->state(), SessionState::kClosed);
  EXPECT_EQ(listener.heard.back(), SessionState::kClosed);
}

Task<void> look_at_contact(Session& session, Duration later, std::optional<Contact>& contact) {
  static_cast<void>(co_await sleep_for(session.executor(), later));
  const ContactKeeper keeper(session);
  contact = session.contact();
}

// The fake counts the contact of a sound connection as kept; the servers hear nothing of this one.
TEST(ContactListenerTest, ASessionThatIsSilentUntilItExpiresHasNoContact) {
  Simulation simulation;
  const auto session = simulation.open("A");
  std::optional<Contact> contact;
  simulation.start(look_at_contact(*session, session->timeout(), contact));
  simulation.expire(*session);
  EXPECT_EQ(contact, Contact::kOver);
}

// A session whose server answers every sync, if there is memory to ask.
class SyncedSession final : public Session {
 public:
  SyncedSession(ManualExecutor& executor, Random& random) : Session(executor, random, Path()) {
    contact_opened(executor.now(), timeout());
    change_state(SessionState::kConnected);
  }
  ~SyncedSession() override { end_background(); }
  [[nodiscard]] SessionId id() const override { return 1; }
  [[nodiscard]] Duration timeout() const override { return std::chrono::seconds(12); }
  [[nodiscard]] TimePoint last_contact() const override { return executor().now(); }

  bool has_memory = true;

 private:
  void submit(Request&&, internal::Completion& completion) override {
    if (!has_memory) throw std::bad_alloc();
    contact_answered(executor().now(), true);
    Reply reply;
    completion.complete(reply);
  }
  void abandon(internal::Completion&) noexcept override {}
};

TEST(ContactListenerTest, ASyncThatFindsNoMemoryIsNotTheLast) {
  ManualExecutor executor;
  fakezk::RandomStream random(1);
  SyncedSession session(executor, random);
  const ContactKeeper keeper(session);
  const auto pass = [&](Duration time) {
    for (const TimePoint end = executor.now() + time; executor.now() < end;) {
      executor.set_time(executor.now() + std::chrono::milliseconds(100));
      executor.fire_timers();
    }
  };
  session.has_memory = false;
  pass(session.timeout() / 4);
  session.has_memory = true;
  pass(2 * session.timeout());
  ASSERT_TRUE(session.valid_until().has_value());
  EXPECT_GT(*session.valid_until(), executor.now() + session.timeout() / 2);
}

}  // namespace
}  // namespace lockstep
