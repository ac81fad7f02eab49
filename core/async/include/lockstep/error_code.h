#pragma once

#include <system_error>
#include <type_traits>

#include "lockstep/error.h"

namespace lockstep {

// ZooKeeper's errors as std::error_code, for code that uses exceptions and codes: the values are
// those of Error, the messages those of name(Error). Codes compare equal to the conditions of
// std::errc with the same meaning:
//   kTimedOut, kOperationTimeout   timed_out             kCancelled        operation_canceled
//   kConflict                      device_or_resource_busy
//   kBadArguments, kInvalidAcl     invalid_argument      kUnimplemented    function_not_supported
//   kNoNode                        no_such_file_or_directory
//   kPacketTooLarge                message_size
//   kNodeExists                    file_exists           kNotEmpty         directory_not_empty
//   kNoAuth, kAuthFailed           permission_denied     kMarshallingError bad_message
//   kConnectionLoss                connection_reset      kNotConnected     not_connected
//   kWatchLimit                    no_buffer_space       kQuotaExceeded    no_space_on_device
//   kThrottledOp                   resource_unavailable_try_again
[[nodiscard]] const std::error_category& zookeeper_category() noexcept;

[[nodiscard]] inline std::error_code make_error_code(Error error) noexcept {
  return {static_cast<int>(error), zookeeper_category()};
}

}  // namespace lockstep

template <>
struct std::is_error_code_enum<lockstep::Error> : std::true_type {};
