#include "lockstep/lab/job_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace lockstep::lab {
namespace {

TEST(JobThreadsTest, OfTwoExceptionsThatOfTheLowerJobReachesTheCaller) {
  JobThreads threads(3);
  const auto fail = [](std::uint32_t job) {
    if (job > 0) throw std::runtime_error("job " + std::to_string(job));
  };
  try {
    threads.each(3, fail);
    FAIL() << "nothing is thrown";
  } catch (const std::runtime_error& thrown) {
    EXPECT_STREQ(thrown.what(), "job 1");
  }
}

TEST(JobThreadsTest, ExceptionsOfOneCallDoNotReachTheNext) {
  JobThreads threads(3);
  EXPECT_THROW(threads.each(3, [](std::uint32_t) { throw std::runtime_error("fails"); }),
               std::runtime_error);
  std::atomic<std::uint32_t> ran = 0;
  EXPECT_NO_THROW(threads.each(3, [&](std::uint32_t) { ++ran; }));
  EXPECT_EQ(ran, 3U);
}

}  // namespace
}  // namespace lockstep::lab
