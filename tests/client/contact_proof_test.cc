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

TimePoint reach(Duration since_start) { return at(since_start) + kSessionTimeout - kDrift; }

TEST(ContactProofTest, NothingIsProvenBeforeAHandshake) {
  const ContactProof proof;
  EXPECT_EQ(proof.valid_until(), std::nullopt);
}

TEST(ContactProofTest, AHandshakeIsAProofByItself) {
  ContactProof proof;
  proof.opened(at(3s), kSessionTimeout);
  EXPECT_EQ(proof.valid_until(), reach(3s));
}

TEST(ContactProofTest, OneAnsweredRequestProvesNothing) {
  ContactProof proof;
  proof.opened(at(0s), kSessionTimeout);
  proof.answered(at(9s));
  EXPECT_EQ(proof.valid_until(), reach(0s));
}

// The server that the request touched may be gone.
TEST(ContactProofTest, AnAnswerOfAnEarlierConnectionProvesNothing) {
  ContactProof proof;
  proof.opened(at(0s), kSessionTimeout);
  proof.answered(at(6s));
  proof.opened(at(5s), kSessionTimeout);
  EXPECT_EQ(proof.valid_until(), reach(5s));
  proof.answered(at(10s));
  EXPECT_EQ(proof.valid_until(), reach(5s));
}

TEST(ContactProofTest, AHandshakeRevokesNoProof) {
  ContactProof proof;
  proof.opened(at(5s), kSessionTimeout);
  proof.opened(at(4s), kSessionTimeout);
  EXPECT_EQ(proof.valid_until(), reach(5s));
}

TEST(ContactProofTest, TheTimeoutNegotiatedLastCounts) {
  ContactProof proof;
  proof.opened(at(0s), kSessionTimeout);
  proof.opened(at(1s), kSessionTimeout / 2);
  EXPECT_EQ(proof.session_timeout(), kSessionTimeout / 2);
  EXPECT_EQ(proof.valid_until(), at(1s) + kSessionTimeout / 2 - kDrift / 2);
  proof.answered(at(2s));
  proof.answered(at(2s) + kSessionTimeout / 8);
  EXPECT_EQ(proof.valid_until(), at(2s) + kSessionTimeout / 2 - kDrift / 2);
}

TEST(ContactProofTest, ManyRequestsAreNotAllRemembered) {
  ContactProof proof;
  proof.opened(at(0s), kSessionTimeout);
  for (int i = 0; i <= 20'000; ++i) proof.answered(at(std::chrono::milliseconds(i)));
  const Duration precision = kSessionTimeout / 32;
  EXPECT_GT(proof.valid_until(), reach(17'500ms - precision));
  EXPECT_LE(proof.valid_until(), reach(17'500ms));
}

TEST(ContactProofTest, AnotherOneAQuarterOfTheTimeoutLaterProvesTheFirst) {
  ContactProof proof;
  proof.opened(TimePoint(), kSessionTimeout);
  proof.answered(at(1s));
  proof.answered(at(3499ms));
  EXPECT_EQ(proof.valid_until(), reach(0s));
  proof.answered(at(3500ms));
  EXPECT_EQ(proof.valid_until(), at(1s) + kSessionTimeout - kDrift);
}

TEST(ContactProofTest, EveryAnswerExtendsTheProof) {
  ContactProof proof;
  proof.opened(TimePoint(), kSessionTimeout);
  for (Duration sent = 0s; sent <= 20s; sent += kSessionTimeout / 6) {
    proof.answered(at(sent));
    // A request sent two sixths before is proven, one sent a sixth before is too recent.
    const Duration two_sixths_ago = sent - kSessionTimeout / 6 * 2;
    if (two_sixths_ago < 0s) continue;
    EXPECT_EQ(proof.valid_until(), at(two_sixths_ago) + kSessionTimeout - kDrift);
  }
}

TEST(ContactProofTest, LateAnswerProvesTheLatestRequestSentEarlyEnough) {
  ContactProof proof;
  proof.opened(TimePoint(), kSessionTimeout);
  for (const Duration sent : {0ms, 1000ms, 2000ms, 2400ms}) proof.answered(at(sent));
  proof.answered(at(4600ms));
  EXPECT_EQ(proof.valid_until(), at(2s) + kSessionTimeout - kDrift);
}

}  // namespace
}  // namespace lockstep
