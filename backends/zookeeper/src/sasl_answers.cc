#include "sasl_answers.h"

#ifdef LOCKSTEP_C_CLIENT_HAS_SASL

#include <cstring>
#include <fstream>
#include <new>

namespace lockstep::zookeeper {

namespace {

// The list holds functions of several types as one of no arguments.
template <class Function>
sasl_callback_t answer(unsigned long id, Function* function, void* context) {
  using Any = void (*)();
  using Listed = decltype(sasl_callback_t::proc);
  return {id, reinterpret_cast<Listed>(reinterpret_cast<Any>(function)), context};
}

}  // namespace

bool start_sasl() {
  static const int started = sasl_client_init(nullptr);
  return started == SASL_OK;
}

SaslAnswers::SaslAnswers(const Sasl& sasl)
    : user_(sasl.user), realm_(sasl.realm), password_file_(sasl.password_file) {
  list_ = {answer(SASL_CB_USER, &tell_user, this), answer(SASL_CB_AUTHNAME, &tell_user, this),
           answer(SASL_CB_GETREALM, &tell_realm, this), answer(SASL_CB_PASS, &tell_password, this),
           sasl_callback_t{SASL_CB_LIST_END, {}, {}}};
}

int SaslAnswers::tell_user(void* self, int, const char** user, unsigned* length) {
  const std::string& known = static_cast<const SaslAnswers*>(self)->user_;
  *user = known.c_str();
  if (length != nullptr) *length = static_cast<unsigned>(known.size());
  return SASL_OK;
}

// Called only if the server offers several realms, or none.
int SaslAnswers::tell_realm(void* self, int, const char** offered, const char** realm) {
  const std::string& known = static_cast<const SaslAnswers*>(self)->realm_;
  const bool takes_first = known.empty() && offered != nullptr && *offered != nullptr;
  *realm = takes_first ? *offered : known.c_str();
  return SASL_OK;
}

// The file is read for each connection, so that a new password needs no new client.
int SaslAnswers::tell_password(sasl_conn_t*, void* self, int, sasl_secret_t** password) {
  auto& answers = *static_cast<SaslAnswers*>(self);
  std::ifstream file(answers.password_file_);
  std::string line;
  if (!std::getline(file, line)) return SASL_FAIL;
  void* const memory = std::malloc(sizeof(sasl_secret_t) + line.size());
  if (memory == nullptr) return SASL_NOMEM;
  answers.password_.reset(new (memory) sasl_secret_t{});
  answers.password_->len = line.size();
  std::memcpy(answers.password_->data, line.c_str(), line.size() + 1);
  *password = answers.password_.get();
  return SASL_OK;
}

}  // namespace lockstep::zookeeper

#endif
