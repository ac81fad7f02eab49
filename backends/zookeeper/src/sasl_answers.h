#pragma once

#ifdef LOCKSTEP_C_CLIENT_HAS_SASL

#include <sasl/sasl.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "lockstep/zookeeper/security.h"

namespace lockstep::zookeeper {

// Starts Cyrus SASL for this process, once; the C client leaves that to its user. False if that
// fails. It is never shut down, because other parts of the process may use it.
[[nodiscard]] bool start_sasl();

// The answers to Cyrus SASL's questions while it authenticates a connection. They belong to one
// handle and outlive it: each connection asks again, on the C client's thread. (The answers that
// the C client could make would not be freed with their list.)
class SaslAnswers {
 public:
  explicit SaslAnswers(const Sasl& sasl);
  SaslAnswers(const SaslAnswers&) = delete;
  SaslAnswers& operator=(const SaslAnswers&) = delete;
  ~SaslAnswers() = default;

  [[nodiscard]] const sasl_callback_t* list() const { return list_.data(); }

 private:
  static int tell_user(void* self, int, const char** user, unsigned* length);
  static int tell_realm(void* self, int, const char** offered, const char** realm);
  static int tell_password(sasl_conn_t*, void* self, int, sasl_secret_t** password);

  const std::string user_;
  const std::string realm_;
  const std::string password_file_;
  std::unique_ptr<sasl_secret_t, decltype(&std::free)> password_{nullptr, &std::free};
  std::array<sasl_callback_t, 5> list_{};
};

}  // namespace lockstep::zookeeper

#endif
