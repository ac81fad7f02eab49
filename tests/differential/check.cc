#include "differential/check.h"

#include <rapidcheck.h>

#include <algorithm>
#include <ostream>

#include "differential/difference.h"
#include "differential/draw.h"
#include "differential/generate.h"
#include "differential/program_text.h"
#include "differential/shrink_program.h"

namespace lockstep::differential {

void showValue(const Program& program, std::ostream& stream) { stream << format(program); }

}  // namespace lockstep::differential

namespace rc {

template <>
struct Arbitrary<lockstep::differential::Program> {
  static Gen<lockstep::differential::Program> arbitrary() {
    using lockstep::differential::Program;
    return [](const Random& random, int) {
      Random seeded = random;
      return shrinkable::shrinkRecur(
          lockstep::differential::generate(seeded.next()), [](const Program& program) {
            return seq::fromContainer(lockstep::differential::simpler(program));
          });
    };
  }
};

}  // namespace rc

namespace lockstep::differential {

namespace {

// Shrinking is worth a wait, but a bounded one.
constexpr std::chrono::seconds kShrinkingLimit(60);

// Exclusion::kRejection. Five attempts were too few on a busy machine.
constexpr int kAttemptsAtRejection = 30;

bool has_rejection(const Program& program) {
  const auto rejected = [](const Op& op) {
    return op.op == OpCode::kAddAuth && op.scheme != "digest" && op.scheme != "ip";
  };
  return std::ranges::any_of(program.steps, [rejected](const Step& step) {
    return std::ranges::any_of(step.ops, rejected);
  });
}

}  // namespace

std::string Sides::compare_once(const Program& program) const {
  const Log on_left = run_program(left, program, distortion);
  const Log on_right = run_program(right, program);
  if (!first_difference(on_left, on_right)) return "";
  return side_by_side(on_left, std::string(left.name()), on_right, std::string(right.name()));
}

std::string Sides::compare(const Program& program) const {
  std::string report = compare_once(program);
  if (!has_rejection(program)) return report;
  for (int i = 1; i < kAttemptsAtRejection && !report.empty(); ++i) report = compare_once(program);
  return report;
}

std::optional<Finding> check_one(const Sides& sides, std::uint64_t seed) {
  std::optional<Finding> finding;
  std::chrono::steady_clock::time_point found;
  const auto judge = [&](const Program& program) {
    if (finding && std::chrono::steady_clock::now() - found > kShrinkingLimit) return;
    std::string report = sides.compare(program);
    if (report.empty()) return;
    if (!finding) found = std::chrono::steady_clock::now();
    finding = Finding{program, std::move(report)};  // While shrinking, the last is the smallest.
    RC_FAIL("the sides differ");
  };
  rc::detail::TestParams params;
  params.seed = seed;
  params.maxSuccess = 1;
  const rc::detail::TestResult result =
      rc::detail::checkTestable(judge, rc::detail::TestMetadata(), params);
  rc::detail::FailureResult failure;
  if (!result.match(failure)) finding.reset();
  return finding;
}

std::uint64_t seed_after(std::uint64_t seed) { return Draw(seed).next(); }

}  // namespace lockstep::differential
