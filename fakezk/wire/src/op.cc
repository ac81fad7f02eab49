#include "lockstep/wire/op.h"

namespace lockstep::wire {

std::string_view name(Op op) {
  switch (op) {
    case Op::kNotification: return "notification";
    case Op::kCreate: return "create";
    case Op::kDelete: return "delete";
    case Op::kExists: return "exists";
    case Op::kGetData: return "getData";
    case Op::kSetData: return "setData";
    case Op::kGetAcl: return "getACL";
    case Op::kSetAcl: return "setACL";
    case Op::kGetChildren: return "getChildren";
    case Op::kSync: return "sync";
    case Op::kPing: return "ping";
    case Op::kGetChildren2: return "getChildren2";
    case Op::kCheck: return "check";
    case Op::kMulti: return "multi";
    case Op::kCreate2: return "create2";
    case Op::kReconfig: return "reconfig";
    case Op::kCheckWatches: return "checkWatches";
    case Op::kRemoveWatches: return "removeWatches";
    case Op::kCreateContainer: return "createContainer";
    case Op::kDeleteContainer: return "deleteContainer";
    case Op::kCreateTtl: return "createTTL";
    case Op::kMultiRead: return "multiRead";
    case Op::kAuth: return "auth";
    case Op::kSetWatches: return "setWatches";
    case Op::kSasl: return "sasl";
    case Op::kGetEphemerals: return "getEphemerals";
    case Op::kGetAllChildrenNumber: return "getAllChildrenNumber";
    case Op::kSetWatches2: return "setWatches2";
    case Op::kAddWatch: return "addWatch";
    case Op::kWhoAmI: return "whoAmI";
    case Op::kCloseSession: return "closeSession";
    case Op::kError: return "error";
  }
  return {};
}

}  // namespace lockstep::wire
