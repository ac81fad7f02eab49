#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <utility>
#include <vector>

#include "lockstep/create_mode.h"
#include "lockstep/error.h"
#include "lockstep/request.h"

namespace lockstep {

// The operations of one multi, in order: either all of them happen, under one zxid, or none does,
// and each sees the effects of those before it. Written as a chain:
//
//   Transaction().check(lock, 0).set_data("/balance", "12", 7)
//
// ZooKeeper's C client supports persistent and ephemeral creates, sequential or not; any other mode
// makes the whole transaction fail with kUnimplemented.
class Transaction {
 public:
  // Each adds one operation: see Session.
  Transaction&& create(Path path, Data data, Creation creation) &&;
  Transaction&& remove(Path path, std::int32_t version = -1) &&;
  Transaction&& set_data(Path path, Data data, std::int32_t version = -1) &&;
  // Fails unless the znode exists and has that version of its data (-1: any).
  Transaction&& check(Path path, std::int32_t version = -1) &&;
  // The same for a named transaction.
  void add(Request op) { ops_.push_back(std::move(op)); }

  [[nodiscard]] std::size_t size() const { return ops_.size(); }
  // Leaves the operations to the caller: Session::multi().
  [[nodiscard]] std::vector<Request> take_ops() && { return std::move(ops_); }

 private:
  std::vector<Request> ops_;
};

// Why a multi failed: the error of its first failed operation, with its index `op`; no index if the
// failure concerns no single operation (a lost connection). Nothing was applied, unless
// outcome_unknown(error).
class MultiError {
 public:
  explicit MultiError(Error failed) : error(failed) {}
  MultiError(Error failed, std::optional<std::size_t> failed_op) : error(failed), op(failed_op) {}

  Error error;
  std::optional<std::size_t> op;
};

// The results of a multi's operations, in order; all of them were applied.
using MultiResults = std::vector<OpResult>;

}  // namespace lockstep
