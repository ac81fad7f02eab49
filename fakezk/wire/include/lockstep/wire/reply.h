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

// A server sends: first a ConnectResponse, then replies and events; each is a frame. Decoders
// and encoders as in request.h.

struct ConnectResponse {
  std::int32_t protocol_version = 0;
  std::int32_t timeout_ms = 0;  // Not positive: the session has expired, or is not the client's.
  std::int64_t session = 0;
  Buffer password{};
  std::optional<bool> read_only{};  // Servers before 3.4 do not send it.

  bool operator==(const ConnectResponse&) const = default;
};
[[nodiscard]] std::string encode(const ConnectResponse& response);
[[nodiscard]] std::expected<ConnectResponse, Malformed> decode_connect_response(
    std::string_view frame);

// A watch event. The types and states are those of zookeeper.h.
struct Event {
  std::int64_t zxid = -1;
  std::int32_t type = 0;
  std::int32_t state = 0;
  Ustring path{};

  bool operator==(const Event&) const = default;
};
[[nodiscard]] std::string encode(const Event& event);
// kNotThisRecord if it is a reply.
[[nodiscard]] std::expected<Event, Malformed> decode_event(std::string_view frame);

// The result of one operation of a multi: of a create, a create2 (createContainer and createTTL
// too), a setData, a getChildren, a getData, a delete or a check; or, as kError, its error.
struct MultiResult {
  using Body = std::variant<Nothing, PathReply, Create2Reply, StatReply, ChildrenReply, DataReply,
                            ErrorReply>;
  Op op{};
  std::int32_t err = 0;  // In front of the body: of an error the same number.
  Body body;

  bool operator==(const MultiResult&) const = default;
};
struct MultiReply {
  std::vector<MultiResult> results{};

  bool operator==(const MultiReply&) const = default;
};

struct Reply {
  using Body = std::variant<Nothing, PathReply, Create2Reply, StatReply, DataReply, ChildrenReply,
                            Children2Reply, AclReply, NumberReply, ErrorReply, WhoAmIReply, Token,
                            MultiReply>;
  std::int32_t xid = 0;
  std::int64_t zxid = 0;
  // ZooKeeper's number. Other than 0, there is no body, but for a multi or a multiRead that the
  // server could not read on: the results so far.
  std::int32_t err = 0;
  Body body;

  bool operator==(const Reply&) const = default;
};

// The body of the reply to an operation, with its fields empty; none if there is no such request.
[[nodiscard]] std::optional<Reply::Body> empty_reply(Op op);
[[nodiscard]] std::optional<MultiResult::Body> empty_result(Op op);

[[nodiscard]] std::string encode(const Reply& reply);
// `op` is the operation of the request with that xid: the reply does not say it.
[[nodiscard]] std::expected<Reply, Malformed> decode_reply(Op op, std::string_view frame);
// The xid of a reply or an event.
[[nodiscard]] std::expected<std::int32_t, Malformed> xid_of(std::string_view frame);

}  // namespace lockstep::wire
