// The comparison can fail: one side alters requests slightly; random programs show it and shrink to
// the few requests that matter. Both sides are the fake, so this needs no server.
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>

#include "differential/check.h"
#include "differential/program_text.h"

namespace lockstep::differential {
namespace {

constexpr int kMostPrograms = 500;

struct Fault {
  const char* name;
  void (*distortion)(Request& request, bool& watch);
  std::size_t requests_max;  // of the smallest program
  const char* tell_tale;     // a part of the report
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

void forget_versions(Request& request, bool&) { request.version = -1; }

void take_minus_two_for_any(Request& request, bool&) {
  if (request.version == -2) request.version = -1;
}

void store_empty_for_null(Request& request, bool&) {
  if (request.op == OpCode::kSetData && request.data.is_null()) request.data = Data("");
}

void ignore_set_data(Request& request, bool&) {
  if (request.op == OpCode::kSetData) request.op = OpCode::kExists;
}

void forget_ephemeral(Request& request, bool&) {
  if (request.mode == CreateMode::kEphemeral) request.mode = CreateMode::kPersistent;
}

void forget_ephemeral_sequential(Request& request, bool&) {
  if (request.mode == CreateMode::kEphemeralSequential) {
    request.mode = CreateMode::kPersistentSequential;
  }
}

void open_every_acl(Request& request, bool&) {
  if (request.op == OpCode::kCreate)
    request.set_details(RequestDetails(Acl::open(), request.ttl()));
}

void lose_watches_of_exists(Request& request, bool& watch) {
  if (request.op == OpCode::kExists) watch = false;
}

void lose_watches_on_children(Request& request, bool& watch) {
  if (request.op == OpCode::kGetChildren) watch = false;
}

void do_half_of_a_multi(Request& request, bool&) {
  if (request.op != OpCode::kMulti || request.ops().size() < 2) return;
  const std::vector<Request>& all = request.ops();
  const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  request.set_details(RequestDetails(std::vector<Request>(all.begin(), half)));
}

const Fault kFaults[] = {
    {"ForgetsVersions", &forget_versions, 2, "bad version"},
    {"TakesMinusTwoForAnyVersion", &take_minus_two_for_any, 2, "bad version"},
    {"StoresEmptyForNull", &store_empty_for_null, 2, "null"},
    {"IgnoresSetData", &ignore_set_data, 1, "version 1"},
    {"ForgetsThatAZnodeIsEphemeral", &forget_ephemeral, 1, "owner s0"},
    {"ForgetsThatASequentialZnodeIsEphemeral", &forget_ephemeral_sequential, 1, "owner s0"},
    {"OpensEveryAcl", &open_every_acl, 1, "acl"},
    {"LosesTheWatchesOfExists", &lose_watches_of_exists, 2, "watch #"},
    {"LosesTheWatchesOnChildren", &lose_watches_on_children, 2, "watch #"},
    {"DoesHalfOfAMulti", &do_half_of_a_multi, 2, "multi"},
};

class WrongServerTest : public ::testing::TestWithParam<Fault> {};

TEST_P(WrongServerTest, IsNoticedAndShownInFewRequests) {
  const Fault& fault = GetParam();
  const std::unique_ptr<Rig> wrong = make_fake_rig();
  const std::unique_ptr<Rig> right = make_fake_rig();
  const Sides sides(*wrong, *right, fault.distortion);
  std::optional<Finding> finding;
  std::uint64_t seed = 1;
  for (int i = 0; i < kMostPrograms && !finding; ++i, seed = seed_after(seed)) {
    finding = check_one(sides, seed);
  }
  ASSERT_TRUE(finding);
  EXPECT_LE(finding->program.size(), fault.requests_max) << format(finding->program);
  EXPECT_TRUE(finding->report.contains("  >>> ")) << finding->report;
  EXPECT_TRUE(finding->report.contains(fault.tell_tale)) << finding->report;
  // The printed text parses back to the program.
  EXPECT_EQ(parse_program(format(finding->program)), finding->program);
}

INSTANTIATE_TEST_SUITE_P(Faults, WrongServerTest, ::testing::ValuesIn(kFaults),
                         [](const auto& fault) { return std::string(fault.param.name); });

TEST(RightServerTest, ShowsNoDifference) {
  const std::unique_ptr<Rig> left = make_fake_rig();
  const std::unique_ptr<Rig> right = make_fake_rig();
  const Sides sides(*left, *right);
  std::uint64_t seed = 1;
  for (int i = 0; i < kMostPrograms; ++i, seed = seed_after(seed)) {
    const std::optional<Finding> finding = check_one(sides, seed);
    ASSERT_FALSE(finding) << format(finding->program) << '\n' << finding->report;
  }
}

}  // namespace
}  // namespace lockstep::differential
