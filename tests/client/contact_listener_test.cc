#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "support/by_hand.h"

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

}  // namespace
}  // namespace lockstep
