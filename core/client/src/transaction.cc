#include "lockstep/transaction.h"

namespace lockstep {

Transaction&& Transaction::create(Path path, Data data, Creation creation) && {
  Request op(OpCode::kCreate, std::move(path));
  op.data = std::move(data);
  op.mode = creation.mode;
  op.set_details(RequestDetails(std::move(creation.acl), creation.ttl));
  add(std::move(op));
  return std::move(*this);
}

Transaction&& Transaction::remove(Path path, std::int32_t version) && {
  Request op(OpCode::kRemove, std::move(path));
  op.version = version;
  add(std::move(op));
  return std::move(*this);
}

Transaction&& Transaction::set_data(Path path, Data data, std::int32_t version) && {
  Request op(OpCode::kSetData, std::move(path));
  op.data = std::move(data);
  op.version = version;
  add(std::move(op));
  return std::move(*this);
}

Transaction&& Transaction::check(Path path, std::int32_t version) && {
  Request op(OpCode::kCheck, std::move(path));
  op.version = version;
  add(std::move(op));
  return std::move(*this);
}

}  // namespace lockstep
