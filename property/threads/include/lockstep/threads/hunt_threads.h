#pragma once

#include <functional>
#include <string>

#include "lockstep/lab/hunt.h"
#include "lockstep/threads/threads_under_test.h"

namespace lockstep::threads {

// START HERE (owners of threaded code): searches the schedules and faults of code that is written
// against zookeeper.h, with threads, mutexes, condition variables and callbacks, as it stands.
//
//   const lab::HuntReport report = threads::hunt_threads("my-lock", [] {
//     std::thread a(&contend), b(&contend);
//     a.join();
//     b.join();
//   });
//   EXPECT_TRUE(report.passed()) << report.text();
//
// Violations: threads that wait for each other or for nothing ("deadlock"), an execution without an
// end ("livelock"), a crash, an abort or an escaped exception ("crash"), a call that has no
// counterpart in an execution ("misuse"), two threads in one Inside ("S2"), what violated()
// reports, and leftovers below ThreadsUnderTest::lock_path ("S5").
lab::HuntReport hunt_threads(std::string name, std::function<void()> body,
                             const lab::HuntSettings& settings = {});
lab::HuntReport hunt_threads(const ThreadsUnderTest& threads,
                             const lab::HuntSettings& settings = {},
                             const lab::HuntWatch& watch = {});

}  // namespace lockstep::threads
