// Code that needs a server is compiled here, and runs in tests/examples.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <mutex>
#include <stop_token>

#include "lockstep/blocking/mutex.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/client_thread.h"
#include "lockstep/zookeeper/runtime.h"

namespace lockstep::readme {

using namespace std::chrono_literals;

namespace production {

void write(Zxid) {}
// Only a global main() may omit its return statement; this one is not called.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wreturn-type"
#include "readme_1.inc"
#pragma GCC diagnostic pop

}  // namespace production

namespace threads {

void write(Zxid) {}
bool there_is_work() { return false; }
void nightly_job() {
#include "readme_3.inc"
}

}  // namespace threads

namespace mixed_fleets {

void with_kazoo(Session& session) {
#include "mixed-fleets_1.inc"
}

}  // namespace mixed_fleets

namespace {

TEST(ReadmeTest, CredentialGoesWithItsAcl) {
#include "readme_2.inc"
  EXPECT_EQ(options.auth.size(), 1U);
  EXPECT_EQ(options.default_acl, Acl::creator_only());
}

}  // namespace
}  // namespace lockstep::readme
