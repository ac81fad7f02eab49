#include <gtest/gtest.h>
#include <zookeeper/zookeeper.h>

#include <cstdio>
#include <thread>

#include "lockstep/threads/hunt_threads.h"
#include "lockstep/threads/inside.h"

namespace lockstep::readme::threaded {

#include "readme_8.inc"

void ignore(zhandle_t*, int, int, const char*, void*) {}

void work() {
  zhandle_t* const handle = zookeeper_init("127.0.0.1:2181", &ignore, 10'000, nullptr, nullptr, 0);
  zookeeper_close(handle);
}

TEST(ReadmeTest, ThreadedCodeIsHunted) { EXPECT_EQ(main(), 0); }

}  // namespace lockstep::readme::threaded
