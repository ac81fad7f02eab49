#include "lockstep/request.h"

namespace lockstep {

std::string_view name(OpCode op) {
  switch (op) {
    case OpCode::kCreate: return "create";
    case OpCode::kRemove: return "remove";
    case OpCode::kExists: return "exists";
    case OpCode::kGetData: return "get_data";
    case OpCode::kSetData: return "set_data";
    case OpCode::kGetChildren: return "get_children";
    case OpCode::kSync: return "sync";
    case OpCode::kClose: return "close";
    case OpCode::kGetAcl: return "get_acl";
    case OpCode::kSetAcl: return "set_acl";
    case OpCode::kMulti: return "multi";
    case OpCode::kCheck: return "check";
    case OpCode::kAddAuth: return "add_auth";
    case OpCode::kCheckWatches: return "remove_watch";
    case OpCode::kRemoveWatches: return "remove_watches";
  }
  return "unknown operation";
}

// Drops details that equal the defaults, so that plain() stays cheap.
void Request::set_details(RequestDetails details) {
  const bool nothing = details.acl.says_nothing() && details.ttl.count() == 0 &&
                       details.scheme.is_null() && op != OpCode::kMulti;
  details_ = nothing ? internal::Shared<RequestDetails>() : internal::Shared(std::move(details));
}

const ReplyDetails& Reply::details() const {
  static const ReplyDetails kNothing;
  return plain() ? kNothing : *details_;
}

ReplyDetails Reply::take_details() { return plain() ? ReplyDetails() : std::move(*details_); }

void Reply::set_details(ReplyDetails details) {
  details_ = std::make_unique<ReplyDetails>(std::move(details));
}

}  // namespace lockstep
