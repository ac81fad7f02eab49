// Listeners that destroy operations.
#include <gtest/gtest.h>

#include "lockstep/session.h"
#include "lockstep/sleep.h"
#include "lockstep/task_set.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

// Destroys the tasks of a set when the contact changes.
class Destroyer final : public SessionListener {
 public:
  Destroyer(Session& session, TaskSet& tasks) : session_(session), tasks_(tasks) {
    session_.add_listener(*this);
  }
  ~Destroyer() { session_.remove_listener(*this); }
  Destroyer(const Destroyer&) = delete;
  Destroyer& operator=(const Destroyer&) = delete;

 private:
  void session_changed(SessionState) override {}
  void contact_changed(Contact) override { tasks_.clear(); }

  Session& session_;
  TaskSet& tasks_;
};

Task<void> write_again_and_again(Session& session) {
  for (;;) {
    static_cast<void>(co_await session.set_data("/n", Data("x")));
    static_cast<void>(co_await sleep_for(session.executor(), 1ms));
  }
}

// Seen by AddressSanitizer: the reply that renews the contact belongs to an operation of that set.
TEST(SessionListenerTest, AListenerMayDestroyTheOperationThatRenewsTheContact) {
  Simulation simulation;
  const auto session = simulation.open("A");
  must(simulation.run(create(*session, "/n")), "create");
  session->keep_contact();
  simulation.hold_inbox(*session);
  simulation.advance(3 * session->timeout());
  simulation.let_go(*session);
  simulation.settle();
  ASSERT_EQ(session->contact(), Contact::kOver);
  TaskSet tasks;
  const Destroyer destroyer(*session, tasks);
  tasks.spawn(write_again_and_again(*session));
  simulation.advance(session->timeout() / 2);
  EXPECT_TRUE(tasks.empty());
  EXPECT_EQ(session->contact(), Contact::kSure);
}

}  // namespace
}  // namespace lockstep
