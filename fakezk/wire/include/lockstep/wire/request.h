#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lockstep/wire/jute.h"
#include "lockstep/wire/op.h"
#include "lockstep/wire/records.h"

namespace lockstep::wire {

// A client sends: first a ConnectRequest, then requests; each is a frame (frames.h). Decoders
// take one frame without its length, ignore bytes after the last field, as ZooKeeper's server
// does, and refuse everything else with an error. Encoders give a frame without its length.

struct ConnectRequest {
  std::int32_t protocol_version = 0;
  std::int64_t last_zxid_seen = 0;
  std::int32_t timeout_ms = 0;
  std::int64_t session = 0;
  Buffer password{};
  std::optional<bool> read_only{};  // Clients before 3.4 do not send it.

  bool operator==(const ConnectRequest&) const = default;
};
[[nodiscard]] std::string encode(const ConnectRequest& request);
[[nodiscard]] std::expected<ConnectRequest, Malformed> decode_connect_request(
    std::string_view frame);

// An operation of a multi: create, create2, createContainer, createTTL, delete, setData, check; of
// a multiRead: getChildren, getData.
struct MultiOp {
  using Body =
      std::variant<CreateRequest, CreateTtlRequest, VersionRequest, SetDataRequest, ReadRequest>;
  Op op{};
  Body body;

  bool operator==(const MultiOp&) const = default;
};
struct MultiRequest {
  std::vector<MultiOp> ops{};

  bool operator==(const MultiRequest&) const = default;
};

struct Request {
  using Body =
      std::variant<Nothing, PathRequest, ReadRequest, VersionRequest, WatchesRequest, CreateRequest,
                   CreateTtlRequest, SetDataRequest, SetAclRequest, SetWatches, SetWatches2,
                   AuthPacket, ReconfigRequest, Token, MultiRequest>;
  std::int32_t xid = 0;
  Op op{};
  Body body;

  bool operator==(const Request&) const = default;
};

// The body of an operation, with its fields empty; none if a client cannot request it.
[[nodiscard]] std::optional<Request::Body> empty_body(Op op);
[[nodiscard]] std::optional<MultiOp::Body> empty_multi_body(Op op);

// The body must be the operation's kind of body.
[[nodiscard]] std::string encode(const Request& request);
[[nodiscard]] std::expected<Request, Malformed> decode_request(std::string_view frame);

}  // namespace lockstep::wire
