#include "c_handle.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <system_error>
#include <thread>

#include "sasl_answers.h"

namespace lockstep::zookeeper {

namespace {

// The C client aborts in zookeeper_init() if it cannot start its two threads (mt_adaptor.c,
// start_threads). There may still be room for them here and not there: then it aborts.
bool can_start_two_threads() {
  std::mutex both_started;
  std::jthread first;
  std::jthread second;
  const std::lock_guard lock(both_started);
  const auto stay = [&] { const std::lock_guard wait(both_started); };
  try {
    first = std::jthread(stay);
    second = std::jthread(stay);
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

#ifdef LOCKSTEP_C_CLIENT_HAS_TLS
zhandle_t* open_with_tls(const Tls& tls, const std::string& servers, int timeout_ms,
                         const clientid_t* id, const SessionWatcher& watcher, log_callback_fn log) {
  std::string files = tls.ca + "," + tls.certificate + "," + tls.key;
  if (!tls.password.empty()) files += "," + tls.password;
  zhandle_t* const handle =
      zookeeper_init_ssl(servers.c_str(), files.c_str(), watcher.function, timeout_ms, id,
                         watcher.context, ZOO_NO_LOG_CLIENTENV);
  if (handle != nullptr) zoo_set_log_callback(handle, log);
  return handle;
}
#endif

#ifdef LOCKSTEP_C_CLIENT_HAS_SASL
zhandle_t* open_with_sasl(const Sasl& sasl, const std::string& servers, int timeout_ms,
                          const clientid_t* id, const SessionWatcher& watcher, log_callback_fn log,
                          CHandleParts& parts) {
  const auto answers = std::make_shared<const SaslAnswers>(sasl);
  parts.sasl_answers = answers;
  zoo_sasl_params_t parameters{sasl.service.c_str(), sasl.host.c_str(), sasl.mechanisms.c_str(),
                               answers->list()};
  return zookeeper_init_sasl(servers.c_str(), watcher.function, timeout_ms, id, watcher.context,
                             ZOO_NO_LOG_CLIENTENV, log, &parameters);
}
#endif

}  // namespace

std::optional<std::string> missing_feature([[maybe_unused]] const Options& options) {
#ifndef LOCKSTEP_C_CLIENT_HAS_TLS
  if (options.tls) return "the linked C client of ZooKeeper was built without TLS";
#endif
#ifdef LOCKSTEP_C_CLIENT_HAS_SASL
  if (options.sasl && !start_sasl()) return "Cyrus SASL does not start";
#else
  if (options.sasl) return "the linked C client of ZooKeeper was built without SASL";
#endif
  if (options.tls && options.sasl) return "the C client of ZooKeeper takes TLS or SASL, not both";
  return std::nullopt;
}

zhandle_t* open_c_handle(const Options& options, const std::string& servers,
                         const SessionWatcher& watcher, log_callback_fn log, CHandleParts& parts) {
  if (!can_start_two_threads()) {
    errno = EAGAIN;
    return nullptr;
  }
  const clientid_t* id = nullptr;
  if (options.attach_to) {
    parts.attach_to.client_id = options.attach_to->session();
    const std::array<char, 16>& password = options.attach_to->password();
    std::copy(password.begin(), password.end(), std::begin(parts.attach_to.passwd));
    id = &parts.attach_to;
  }
  const auto timeout_ms = static_cast<int>(
      std::chrono::duration_cast<std::chrono::milliseconds>(options.session_timeout).count());
#ifdef LOCKSTEP_C_CLIENT_HAS_TLS
  if (options.tls) return open_with_tls(*options.tls, servers, timeout_ms, id, watcher, log);
#endif
#ifdef LOCKSTEP_C_CLIENT_HAS_SASL
  if (options.sasl) {
    return open_with_sasl(*options.sasl, servers, timeout_ms, id, watcher, log, parts);
  }
#endif
  return zookeeper_init2(servers.c_str(), watcher.function, timeout_ms, id, watcher.context,
                         ZOO_NO_LOG_CLIENTENV, log);
}

}  // namespace lockstep::zookeeper
