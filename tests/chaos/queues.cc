#include "chaos/queues.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <utility>

#include "chaos/wire.h"
#include "lockstep/retried.h"
#include "lockstep/zookeeper/client.h"
#include "support/lab.h"

namespace lockstep::chaos {

namespace {

using support::must;

constexpr std::chrono::seconds kLimit(60);

// Runs one task on a new session.
template <class Make>
void on_session(const std::vector<std::uint16_t>& ports, Make make) {
  zookeeper::Runtime runtime;
  const zookeeper::Options options(connection_string(ports));
  zookeeper::Client client(runtime, options);
  runtime.run(make(client, Context(runtime.now() + kLimit)));
}

Task<void> create(Client& client, std::string path, Context limit) {
  const auto session = must(co_await client.session(limit), "a session");
  const Data nothing;
  for (;;) {
    const auto created = co_await session->create(path, nothing, CreateMode::kPersistent, limit);
    if (created || created.error() == Error::kNodeExists) co_return;
    if (!outcome_unknown(created.error())) must(created, "create");
    must(co_await session->connected(limit), "connected");
  }
}

Task<void> list(std::shared_ptr<Session> session, std::string path, Context limit,
                std::vector<std::string>& found) {
  const auto children = co_await retried(*session, &Session::get_children, path, limit);
  if (!children && children.error() == Error::kNoNode) co_return;
  const Children names = must(children, "get_children");
  for (const auto& name : names) {
    const std::string child = path + "/" + std::string(name);
    // A lock or a part of a semaphore has children of its own.
    const bool parent = name == "leases" || name == "locks" ||
                        std::ranges::find(kLockNames, name) != kLockNames.end();
    if (parent) {
      co_await list(session, child, limit, found);
    } else if (!std::string(name).starts_with("marker")) {
      found.push_back(child);
    }
  }
}

Task<void> list_all(Client& client, std::string root, Context limit,
                    std::vector<std::string>& found) {
  const auto session = must(co_await client.session(limit), "a session");
  must(co_await retried(*session, &Session::sync, root, limit), "sync");
  co_await list(session, root, limit, found);
}

}  // namespace

std::string connection_string(const std::vector<std::uint16_t>& ports) {
  std::string servers;
  for (const std::uint16_t port : ports) {
    servers += (servers.empty() ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(port);
  }
  return servers;
}

void create_root(const std::vector<std::uint16_t>& ports, const std::string& root) {
  on_session(ports,
             [&](Client& client, Context limit) { return create(client, root, std::move(limit)); });
}

std::string write_marker(const std::vector<std::uint16_t>& ports, const std::string& root) {
  static std::atomic<int> markers = 0;
  std::string marker = root + "/marker-" + std::to_string(++markers);
  on_session(ports, [&](Client& client, Context limit) {
    return create(client, marker, std::move(limit));
  });
  return marker;
}

std::vector<std::string> znodes_in_queues(const std::vector<std::uint16_t>& ports,
                                          const std::string& root) {
  std::vector<std::string> found;
  on_session(ports, [&](Client& client, Context limit) {
    return list_all(client, root, std::move(limit), found);
  });
  return found;
}

}  // namespace lockstep::chaos
