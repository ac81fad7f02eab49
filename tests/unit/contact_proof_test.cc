#include "lockstep/contact_proof.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace lockstep {
namespace {

using namespace std::chrono_literals;

constexpr Duration kSessionTimeout = 10s;
constexpr Duration kDrift = kSessionTimeout / ContactProof::kDriftParts;

TimePoint at(Duration since_start) { return TimePoint(since_start); }

TEST(ContactProofTest, OneAnsweredRequestProvesNothing) {
  ContactProof proof(kSessionTimeout);
  EXPECT_EQ(proof.valid_until(), std::nullopt);
  proof.answered(at(1s));
  EXPECT_EQ(proof.valid_until(), std::nullopt);
}

TEST(ContactProofTest, AnotherOneAQuarterOfTheTimeoutLaterProvesTheFirst) {
  ContactProof proof(kSessionTimeout);
  proof.answered(at(1s));
  proof.answered(at(3499ms));
  EXPECT_EQ(proof.valid_until(), std::nullopt);
  proof.answered(at(3500ms));
  EXPECT_EQ(proof.valid_until(), at(1s) + kSessionTimeout - kDrift);
}

TEST(ContactProofTest, ProofMovesOnWithEveryAnswer) {
  ContactProof proof(kSessionTimeout);
  for (Duration sent = 0s; sent <= 20s; sent += kSessionTimeout / 6) {
    proof.answered(at(sent));
    // What was sent two sixths before is proven, one sixth before is too little.
    const Duration two_sixths_ago = sent - kSessionTimeout / 6 * 2;
    if (two_sixths_ago < 0s) continue;
    EXPECT_EQ(proof.valid_until(), at(two_sixths_ago) + kSessionTimeout - kDrift);
  }
}

TEST(ContactProofTest, LateAnswerProvesTheLatestThatIsEarlyEnough) {
  ContactProof proof(kSessionTimeout);
  for (const Duration sent : {0ms, 1000ms, 2000ms, 2400ms}) proof.answered(at(sent));
  proof.answered(at(4600ms));
  EXPECT_EQ(proof.valid_until(), at(2s) + kSessionTimeout - kDrift);
}

}  // namespace
}  // namespace lockstep
