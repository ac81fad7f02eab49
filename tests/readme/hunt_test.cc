#include "lockstep/lab/hunt.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "lockstep/fair_mutex.h"
#include "lockstep/lab/gtest.h"
#include "lockstep/lab/inside.h"
#include "lockstep/lab/shared.h"
#include "lockstep/lab/users.h"

namespace lockstep::readme {

namespace recipe {

#include "readme_5.inc"

MyMutex::MyMutex(Session& session, Path lock, LockObserver* observer)
    : inner_(session, std::move(lock), observer) {}
Task<Result<HeldLock>> MyMutex::acquire() { return inner_.acquire(); }

TEST(ReadmeTest, HuntOfARecipe) { EXPECT_EQ(main(), 0); }

void every_seat_is_taken(const fakezk::World&, search::Verdict&);
#include "readme_6.inc"
void every_seat_is_taken(const fakezk::World&, search::Verdict&) { EXPECT_LE(sold, 4); }

}  // namespace recipe

namespace shared_memory {

#include "readme_7.inc"

TEST(ReadmeTest, TheUsersOfASessionAreJudgedApart) {
  lab::LockUnderTest tickets("tickets", &sell_two);
  tickets.at_start = [] { sold.reset(); };
  const lab::HuntReport report = lab::hunt_lock(tickets, {.size = {1, 1}});
  ASSERT_TRUE(report.failure) << report.text();
  EXPECT_EQ(report.failure->violation.oracle, "S2");
  EXPECT_NE(report.failure->lanes.find("reads sold: 0"), std::string::npos) << report.text();
}

}  // namespace shared_memory
}  // namespace lockstep::readme
