#include "lockstep/error_code.h"

#include <optional>
#include <string>

namespace lockstep {

namespace {

std::optional<std::errc> same_in_the_standard(Error error) {
  switch (error) {
    case Error::kTimedOut:
    case Error::kOperationTimeout: return std::errc::timed_out;
    case Error::kCancelled: return std::errc::operation_canceled;
    case Error::kConflict: return std::errc::device_or_resource_busy;
    case Error::kBadArguments:
    case Error::kInvalidAcl: return std::errc::invalid_argument;
    case Error::kUnimplemented: return std::errc::function_not_supported;
    case Error::kNoNode: return std::errc::no_such_file_or_directory;
    case Error::kNodeExists: return std::errc::file_exists;
    case Error::kNotEmpty: return std::errc::directory_not_empty;
    case Error::kNoAuth:
    case Error::kAuthFailed: return std::errc::permission_denied;
    case Error::kMarshallingError: return std::errc::bad_message;
    case Error::kPacketTooLarge: return std::errc::message_size;
    case Error::kConnectionLoss: return std::errc::connection_reset;
    case Error::kNotConnected: return std::errc::not_connected;
    case Error::kWatchLimit: return std::errc::no_buffer_space;
    case Error::kQuotaExceeded: return std::errc::no_space_on_device;
    case Error::kThrottledOp: return std::errc::resource_unavailable_try_again;
    default: return std::nullopt;
  }
}

class ZookeeperCategory final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "zookeeper"; }
  [[nodiscard]] std::string message(int code) const override {
    return std::string(lockstep::name(static_cast<Error>(code)));
  }
  [[nodiscard]] std::error_condition default_error_condition(int code) const noexcept override {
    const std::optional<std::errc> same = same_in_the_standard(static_cast<Error>(code));
    return same ? std::make_error_condition(*same) : std::error_condition(code, *this);
  }
};

}  // namespace

const std::error_category& zookeeper_category() noexcept {
  static const ZookeeperCategory category;
  return category;
}

}  // namespace lockstep
