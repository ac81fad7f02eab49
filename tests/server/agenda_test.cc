#include "lockstep/fakezk/agenda.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;
using Kind = Event::Kind;

// Three sessions of different processes, each with one request in flight.
class AgendaTest : public SimulatedTest {
 protected:
  AgendaTest() {
    for (const auto& session : sessions_) simulation_.start(ignore(sync(*session, "/")));
  }
  World& world() { return simulation_.world(); }
  Agenda agenda() {
    return {world().network(), world().servers(), world().processes(), world().threads()};
  }
  using Listed = std::vector<std::pair<Kind, std::uint32_t>>;
  static Listed listed(const Agenda& agenda) {
    Listed listed;
    for (const Event& event : agenda.events()) listed.emplace_back(event.kind, event.index);
    return listed;
  }

  std::shared_ptr<FakeSession> sessions_[3] = {simulation_.open("A"), simulation_.open("B"),
                                               simulation_.open("C")};
};

TEST_F(AgendaTest, TheClientOfTheLastEventGoesOn) {
  Agenda agenda = this->agenda();
  agenda.list();
  EXPECT_EQ(listed(agenda), (Listed{{Kind::kApply, 0}, {Kind::kApply, 1}, {Kind::kApply, 2}}));
  agenda.set_current(1);
  agenda.list();
  EXPECT_EQ(listed(agenda), (Listed{{Kind::kApply, 1}, {Kind::kApply, 0}, {Kind::kApply, 2}}));
  agenda.reset();
  EXPECT_EQ(agenda.current(), 0u);
}

TEST_F(AgendaTest, InTheFairOrderTheClientThatWasServedLastComesLast) {
  Agenda agenda = this->agenda();
  agenda.set_current(1);
  agenda.become_fair();
  agenda.list();
  EXPECT_EQ(listed(agenda), (Listed{{Kind::kApply, 2}, {Kind::kApply, 0}, {Kind::kApply, 1}}));
  agenda.reset();
  EXPECT_FALSE(agenda.is_fair());
}

TEST_F(AgendaTest, AStalledProcessReceivesNothingAndWakesLast) {
  for (std::uint32_t link = 0; link < 3; ++link) world().process_message(link);
  world().faults().stall(world().process(1));
  Agenda agenda = this->agenda();
  agenda.list();
  EXPECT_EQ(listed(agenda), (Listed{{Kind::kDeliver, 0}, {Kind::kDeliver, 2}, {Kind::kWake, 1}}));
  EXPECT_FALSE(agenda.is_at_rest());
  agenda.list_under_way();
  EXPECT_EQ(listed(agenda), (Listed{{Kind::kDeliver, 0}, {Kind::kDeliver, 2}}));
}

TEST_F(AgendaTest, AtRestOnlyTheClockAndWakesAreLeft) {
  simulation_.settle();
  world().faults().stall(world().process(1));
  Agenda agenda = this->agenda();
  agenda.list();
  EXPECT_TRUE(agenda.is_at_rest());
  agenda.list_at_rest(true);
  EXPECT_EQ(listed(agenda), (Listed{{Kind::kTimer, 0}, {Kind::kWake, 1}}));
  agenda.list_at_rest(false);
  EXPECT_EQ(listed(agenda), (Listed{{Kind::kWake, 1}}));
}

}  // namespace
}  // namespace lockstep::fakezk
