#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "lockstep/connection/asked.h"
#include "lockstep/fakezk/message.h"
#include "lockstep/wire/reply.h"
#include "lockstep/wire/request.h"

namespace lockstep::connection {

// Messages of the wire as those of the simulated world, and back.

// A request for the servers, or the error that answers it: what ZooKeeper's server says to a
// request that it cannot read, or kUnimplemented if the simulated servers do not know it.
[[nodiscard]] std::expected<lockstep::Request, Error> to_request(const wire::Request& request,
                                                                 bool ttl_enabled);
// A query for the servers, or the error that answers it; none if the request asks something else.
[[nodiscard]] std::optional<std::expected<fakezk::Query, Error>> to_query(
    const wire::Request& request);
// As what the result of an operation of a multi is encoded, if it does not fail.
[[nodiscard]] wire::Op result_of(const wire::MultiOp& op);
// The session's password, eight of whose sixteen bytes are significant; 0, which no session has, if
// they are no password of these servers.
[[nodiscard]] std::uint64_t to_password(const wire::Buffer& bytes);
[[nodiscard]] std::string to_bytes(std::uint64_t password);

// The reply to a request, as bytes of a frame.
[[nodiscard]] std::string encode_reply(const Asked& asked, fakezk::ServerMessage& message);
// A reply without a body: an error, or one that has none.
[[nodiscard]] std::string encode_header(std::int32_t xid, std::int64_t zxid,
                                        std::optional<Error> error);
[[nodiscard]] std::string encode_event(const fakezk::ServerMessage& message);

}  // namespace lockstep::connection
