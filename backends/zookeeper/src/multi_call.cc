#include "multi_call.h"

#include <deque>

#include "acl_vector.h"
#include "callbacks.h"
#include "calls.h"
#include "stat.h"

namespace lockstep::zookeeper {

namespace {

// The number that is appended to the name of a sequential znode (with a minus sign after it has
// overflowed), and a NUL.
constexpr std::size_t kNumberSize = 12;

}  // namespace

MultiCall::MultiCall(const std::vector<Request>& ops)
    : results_(ops.size()), paths_(ops.size()), stats_(ops.size()) {
  op_codes_.reserve(ops.size());
  for (const Request& op : ops) op_codes_.push_back(op.op);
}

int MultiCall::send(zhandle_t* handle, const std::vector<Request>& ops, const void* context) {
  std::vector<zoo_op_t> c_ops(ops.size());
  std::deque<AclVector> acls;
  for (std::size_t i = 0; i < c_ops.size(); ++i) {
    const Request& op = ops[i];
    const char* const path = c_string(op.path.text());
    const char* const data = c_bytes(op.data);
    if (op.op == OpCode::kCreate) {
      paths_[i].resize(op.path.view().size() + kNumberSize);
      zoo_create_op_init(&c_ops[i], path, data, c_size(op.data), acls.emplace_back(op.acl()).get(),
                         static_cast<int>(op.mode), paths_[i].data(),
                         static_cast<int>(paths_[i].size()));
    } else if (op.op == OpCode::kRemove) {
      zoo_delete_op_init(&c_ops[i], path, op.version);
    } else if (op.op == OpCode::kSetData) {
      zoo_set_op_init(&c_ops[i], path, data, c_size(op.data), op.version, &stats_[i]);
    } else {
      zoo_check_op_init(&c_ops[i], path, op.version);
    }
  }
  const int rc = zoo_amulti(handle, static_cast<int>(c_ops.size()), c_ops.data(), results_.data(),
                            &callbacks::multi_done, context);
  // The C client notices that the handle is dead, but reports an encoding error.
  return rc != ZOK && is_unrecoverable(handle) ? ZINVALIDSTATE : rc;
}

std::vector<OpOutcome> MultiCall::outcomes() const {
  std::vector<OpOutcome> outcomes;
  outcomes.reserve(results_.size());
  for (std::size_t i = 0; i < results_.size(); ++i) {
    OpOutcome& outcome = outcomes.emplace_back(op_codes_[i], results_[i].err);
    if (results_[i].err != ZOK) continue;
    // NOLINTNEXTLINE(readability-redundant-string-cstr): up to the NUL that the C client wrote.
    if (outcome.op == OpCode::kCreate) outcome.path = paths_[i].c_str();
    if (outcome.op == OpCode::kSetData) outcome.stat = from_c(stats_[i]);
  }
  return outcomes;
}

}  // namespace lockstep::zookeeper
