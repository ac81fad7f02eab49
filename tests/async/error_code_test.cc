#include "lockstep/error_code.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

TEST(ErrorCodeTest, CarriesZookeepersNumberAndName) {
  const std::error_code code = Error::kSessionExpired;
  EXPECT_EQ(code.value(), -112);
  EXPECT_EQ(code.message(), "session expired");
  EXPECT_STREQ(code.category().name(), "zookeeper");
  EXPECT_EQ(code, Error::kSessionExpired);
  EXPECT_NE(code, Error::kClosing);
}

TEST(ErrorCodeTest, EveryErrorIsAnError) {
  EXPECT_TRUE(std::error_code(Error::kSystemError));
  EXPECT_TRUE(std::error_code(Error::kTimedOut));
}

TEST(ErrorCodeTest, MeansWhatTheStandardMeans) {
  const std::vector<std::pair<Error, std::errc>> same = {
      {Error::kTimedOut, std::errc::timed_out},
      {Error::kNotConnected, std::errc::not_connected},
      {Error::kOperationTimeout, std::errc::timed_out},
      {Error::kCancelled, std::errc::operation_canceled},
      {Error::kConflict, std::errc::device_or_resource_busy},
      {Error::kBadArguments, std::errc::invalid_argument},
      {Error::kInvalidAcl, std::errc::invalid_argument},
      {Error::kUnimplemented, std::errc::function_not_supported},
      {Error::kNoNode, std::errc::no_such_file_or_directory},
      {Error::kNodeExists, std::errc::file_exists},
      {Error::kNotEmpty, std::errc::directory_not_empty},
      {Error::kNoAuth, std::errc::permission_denied},
      {Error::kAuthFailed, std::errc::permission_denied},
      {Error::kMarshallingError, std::errc::bad_message},
      {Error::kConnectionLoss, std::errc::connection_reset},
  };
  for (const auto& [error, condition] : same) {
    EXPECT_EQ(std::error_code(error), condition) << name(error);
  }
}

// No standard code means "another client may have the lock by now".
TEST(ErrorCodeTest, AnErrorOfZookeeperAloneHasItsOwnCondition) {
  const std::error_condition condition =
      std::error_code(Error::kSessionExpired).default_error_condition();
  EXPECT_EQ(condition.category(), zookeeper_category());
  EXPECT_EQ(condition.value(), static_cast<int>(Error::kSessionExpired));
}

}  // namespace
}  // namespace lockstep
