#include "lockstep/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <vector>

#include "lockstep/create_mode.h"
#include "lockstep/request.h"
#include "lockstep/session.h"

namespace lockstep {
namespace {

const std::vector<Error> kAll = {Error::kSystemError,
                                 Error::kRuntimeInconsistency,
                                 Error::kDataInconsistency,
                                 Error::kConnectionLoss,
                                 Error::kMarshallingError,
                                 Error::kUnimplemented,
                                 Error::kOperationTimeout,
                                 Error::kBadArguments,
                                 Error::kInvalidState,
                                 Error::kNoNode,
                                 Error::kNoAuth,
                                 Error::kBadVersion,
                                 Error::kNodeExists,
                                 Error::kNotEmpty,
                                 Error::kNoChildrenForEphemerals,
                                 Error::kSessionExpired,
                                 Error::kInvalidCallback,
                                 Error::kInvalidAcl,
                                 Error::kAuthFailed,
                                 Error::kClosing,
                                 Error::kNothing,
                                 Error::kSessionMoved,
                                 Error::kNotReadOnly,
                                 Error::kNoWatcher,
                                 Error::kTimedOut,
                                 Error::kCancelled,
                                 Error::kConflict,
                                 Error::kRevoked,
                                 Error::kNotConnected,
                                 Error::kWatchLimit,
                                 Error::kQuotaExceeded,
                                 Error::kThrottledOp,
                                 Error::kPacketTooLarge};

TEST(ErrorTest, OutcomeIsUnknownOnlyIfTheReplyWasLost) {
  for (const Error error : kAll) {
    const bool unknown = error == Error::kConnectionLoss || error == Error::kOperationTimeout;
    EXPECT_EQ(outcome_unknown(error), unknown) << name(error);
  }
}

// A throttled request was not executed, but it may be sent again.
TEST(ErrorTest, TransientErrorsAreThoseOfTheConnectionAndOfABusyServer) {
  for (const Error error : kAll) {
    EXPECT_EQ(is_transient(error), outcome_unknown(error) || error == Error::kThrottledOp)
        << name(error);
  }
}

TEST(ErrorTest, SessionIsOverWhereItCannotBeUsedAgain) {
  const std::set<Error> over = {Error::kSessionExpired, Error::kAuthFailed, Error::kClosing,
                                Error::kInvalidState};
  for (const Error error : kAll) {
    EXPECT_EQ(session_is_over(error), over.contains(error)) << name(error);
    EXPECT_FALSE(outcome_unknown(error) && session_is_over(error)) << name(error);
  }
}

TEST(ErrorTest, EveryErrorHasAUniqueName) {
  std::set<std::string_view> names;
  for (const Error error : kAll) names.insert(name(error));
  EXPECT_EQ(names.size(), kAll.size());
  EXPECT_FALSE(names.contains("unknown error"));
  EXPECT_EQ(name(static_cast<Error>(-9999)), "unknown error");
}

TEST(ErrorTest, ZooKeepersCodesAreNegativeAndOursPositive) {
  EXPECT_EQ(static_cast<int>(Error::kConnectionLoss), -4);
  EXPECT_EQ(static_cast<int>(Error::kNoNode), -101);
  EXPECT_EQ(static_cast<int>(Error::kNodeExists), -110);
  EXPECT_EQ(static_cast<int>(Error::kSessionExpired), -112);
  for (const Error error : kAll) {
    const bool ours = error == Error::kTimedOut || error == Error::kCancelled ||
                      error == Error::kConflict || error == Error::kRevoked ||
                      error == Error::kNotConnected || error == Error::kWatchLimit ||
                      error == Error::kPacketTooLarge;
    EXPECT_EQ(static_cast<int>(error) > 0, ours) << name(error);
  }
}

TEST(CreateModeTest, SaysWhatTheModeIs) {
  EXPECT_TRUE(is_ephemeral(CreateMode::kEphemeral));
  EXPECT_TRUE(is_ephemeral(CreateMode::kEphemeralSequential));
  EXPECT_FALSE(is_ephemeral(CreateMode::kContainer));
  EXPECT_FALSE(is_ephemeral(CreateMode::kPersistentSequential));
  EXPECT_TRUE(is_sequential(CreateMode::kPersistentSequential));
  EXPECT_TRUE(is_sequential(CreateMode::kEphemeralSequential));
  EXPECT_FALSE(is_sequential(CreateMode::kPersistent));
  EXPECT_FALSE(is_sequential(CreateMode::kEphemeral));
  EXPECT_FALSE(is_sequential(CreateMode::kContainer));
}

TEST(OpCodeTest, EveryOperationHasAUniqueName) {
  std::set<std::string_view> names;
  for (int op = 0; op <= static_cast<int>(OpCode::kClose); ++op) {
    names.insert(name(static_cast<OpCode>(op)));
  }
  EXPECT_EQ(names.size(), 8U);
  EXPECT_FALSE(names.contains("unknown operation"));
  EXPECT_TRUE(is_read(OpCode::kExists));
  EXPECT_TRUE(is_read(OpCode::kGetData));
  EXPECT_TRUE(is_read(OpCode::kGetChildren));
  EXPECT_FALSE(is_read(OpCode::kSync));
  EXPECT_FALSE(is_read(OpCode::kCreate));
}

TEST(SessionStateTest, KnowsWhichStatesAreFinal) {
  for (const SessionState state :
       {SessionState::kConnecting, SessionState::kConnected, SessionState::kSuspended}) {
    EXPECT_FALSE(is_over(state)) << name(state);
  }
  for (const SessionState state :
       {SessionState::kExpired, SessionState::kAuthFailed, SessionState::kClosed}) {
    EXPECT_TRUE(is_over(state)) << name(state);
  }
  EXPECT_EQ(name(SessionState::kConnecting), "connecting");
  EXPECT_EQ(name(SessionState::kAuthFailed), "authentication failed");
}

}  // namespace
}  // namespace lockstep
