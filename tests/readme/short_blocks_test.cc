// The code of documents with few blocks.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <stop_token>
#include <thread>
#include <utility>

#include "blocking-code_includes.inc"
#include "lockstep/fair_mutex.h"
#include "lockstep/fake/simulation.h"
#include "lockstep/threads/hunt_threads.h"

namespace lockstep::readme {

namespace blocking_code {

using namespace std::chrono_literals;

#include "blocking-code_1.inc"
#include "blocking-code_2.inc"
#include "blocking-code_3.inc"

TEST(BlockingCodeTest, ACatalogueIsPrinted) {
  fake::Simulation simulation;
  int printed = 0;
  EXPECT_TRUE(print_catalogue(simulation.client("Ann"), [&] { ++printed; }));
  EXPECT_EQ(printed, 1);
}

TEST(BlockingCodeTest, ALeaderBillsUntilItIsStopped) {
  fake::Simulation simulation;
  std::stop_source stop;
  int bills = 0;
  bill_as_leader(simulation.client("Ann"), stop.get_token(), [&](Zxid) {
    if (++bills == 3) stop.request_stop();
  });
  EXPECT_EQ(bills, 3);
}

TEST(BlockingCodeTest, AnImpatientMutexIsTakenByOne) {
  fake::Simulation simulation;
  blocking::FairMutex anns = impatient_mutex(simulation.client("Ann"));
  blocking::FairMutex bobs = impatient_mutex(simulation.client("Bob"));
  ASSERT_TRUE(anns.try_lock());
  EXPECT_FALSE(bobs.try_lock());
  anns.unlock();
}

}  // namespace blocking_code

namespace mixed_fleets {

TEST(MixedFleetsTest, TheMutexKnowsBothMarks) {
  fake::Simulation simulation;
  const auto opened = simulation.open("Ann");
  Session& session = *opened;
#include "mixed-fleets_1.inc"
  EXPECT_TRUE(simulation.run(mutex.acquire()));
}

}  // namespace mixed_fleets

namespace threaded_code {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wreturn-type"
#include "threaded-code_1.inc"
#pragma GCC diagnostic pop

int clients = 0;
extern "C" int their_main(int, char**) { return ++clients; }

TEST(ThreadedCodeTest, MainOfAProgramIsHunted) {
  main();
  EXPECT_GT(clients, 2);
}

}  // namespace threaded_code
}  // namespace lockstep::readme
