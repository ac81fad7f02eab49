#pragma once

#include <zookeeper/zookeeper.h>

#include <vector>

#include "lockstep/acl.h"

namespace lockstep::zookeeper {

// An ACL in the C client's form. Points into the Acl, which must outlive it.
class AclVector {
 public:
  explicit AclVector(const Acl& acl);
  AclVector(const AclVector&) = delete;
  AclVector& operator=(const AclVector&) = delete;

  [[nodiscard]] ACL_vector* get() { return &vector_; }

 private:
  std::vector<ACL> entries_;
  ACL_vector vector_;
};

[[nodiscard]] Acl from_c(const ACL_vector& acl);

}  // namespace lockstep::zookeeper
