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

// Translates messages of the wire to those of the simulated world, and back.

// A request for the servers, which may be one that the leader refuses, or the error that answers
// it: ZooKeeper's error for a read that it cannot read, or kUnimplemented if the simulated servers
// do not know the operation.
[[nodiscard]] std::expected<lockstep::Request, Error> to_request(const wire::Request& request,
                                                                 bool ttl_enabled);
// A request that the leader refuses in place of such a write, whose body cannot be decoded; nullopt
// if it takes no zxid (Z13), so that the connection answers it.
[[nodiscard]] std::optional<lockstep::Request> to_unreadable(wire::Op op);
// A query for the servers, or the error that answers it; nullopt if the request is not a query.
[[nodiscard]] std::optional<std::expected<fakezk::Query, Error>> to_query(
    const wire::Request& request);
// The operation as which the result of an operation in a multi is encoded, if it does not fail.
[[nodiscard]] wire::Op result_of(const wire::MultiOp& op);
// The session's password, of whose sixteen bytes eight are significant; 0, which no session has, if
// these servers have not issued it.
[[nodiscard]] std::uint64_t to_password(const wire::Buffer& bytes);
[[nodiscard]] std::string to_bytes(std::uint64_t password);

// The reply to a request, as the bytes of a frame.
[[nodiscard]] std::string encode_reply(const Asked& asked, fakezk::ServerMessage& message);
// A reply without a body: an error, or the reply to a request that has none.
[[nodiscard]] std::string encode_header(std::int32_t xid, std::int64_t zxid,
                                        std::optional<Error> error);
[[nodiscard]] std::string encode_event(const fakezk::ServerMessage& message);

}  // namespace lockstep::connection
