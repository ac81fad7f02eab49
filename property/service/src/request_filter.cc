#include "request_filter.h"

#include <algorithm>
#include <string>

#include "lockstep/error.h"
#include "served_world.h"

namespace lockstep::service {

namespace {

constexpr const char* kLost = "lost";

std::string answer_text(std::int32_t error) {
  return error == 0 ? "ok" : std::string(name(static_cast<Error>(error)));
}

}  // namespace

RequestFilter::~RequestFilter() {
  for (const Open& open : open_) world_.log().close(open.number, kLost);
}

bool RequestFilter::request_passes(const wire::Request& request) {
  log(request);
  return !world_.losses().strike(false, request.op, connection_.session_id());
}

// Pings are uninteresting, and would displace everything else.
void RequestFilter::log(const wire::Request& request) {
  if (request.op == wire::Op::kPing) return;
  const std::uint64_t number = world_.log().add({.at = world_.now(),
                                                 .session = connection_.session_id(),
                                                 .server = server_,
                                                 .op = std::string(name(request.op)),
                                                 .path = path_of(request)});
  open_.push_back({request.xid, number});
}

bool RequestFilter::answer_passes(std::int32_t xid, wire::Op op, std::int32_t error) {
  if (world_.losses().strike(true, op, connection_.session_id())) return false;
  const auto open = std::ranges::find(open_, xid, &Open::xid);
  if (open == open_.end()) return true;
  world_.log().close(open->number, answer_text(error));
  open_.erase(open);
  return true;
}

}  // namespace lockstep::service
