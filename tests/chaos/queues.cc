#include "chaos/queues.h"

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>

#include "chaos/wire.h"
#include "lockstep/retried.h"
#include "lockstep/zookeeper/client.h"
#include "support/lab.h"

namespace lockstep::chaos {

namespace {

using support::must;

constexpr std::chrono::seconds kLimit(60);

std::string servers_of(const support::ZookeeperEnsemble& ensemble) {
  std::string servers;
  for (std::size_t i = 0; i < support::ZookeeperEnsemble::kServers; ++i) {
    servers += (i == 0 ? "" : ",") + ensemble.address(i);
  }
  return servers;
}

// One task on a session of its own.
template <class Make>
void on_session(const support::ZookeeperEnsemble& ensemble, Make make) {
  zookeeper::Runtime runtime;
  const zookeeper::Options options(servers_of(ensemble));
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
    // A lock, or a part of a semaphore.
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
  must(co_await session->sync(root, limit), "sync");
  co_await list(session, root, limit, found);
}

}  // namespace

void create_root(support::ZookeeperEnsemble& ensemble, const std::string& root) {
  on_session(ensemble, [&](Client& client, Context limit) { return create(client, root, limit); });
}

std::vector<std::string> znodes_in_queues(support::ZookeeperEnsemble& ensemble,
                                          const std::string& root) {
  std::vector<std::string> found;
  on_session(ensemble,
             [&](Client& client, Context limit) { return list_all(client, root, limit, found); });
  return found;
}

// Until there is in the log what is written now.
std::vector<Transaction> committed_transactions(support::ZookeeperEnsemble& ensemble,
                                                const std::string& root) {
  static std::atomic<int> markers = 0;
  const std::string marker = root + "/marker-" + std::to_string(++markers);
  on_session(ensemble,
             [&](Client& client, Context limit) { return create(client, marker, limit); });
  const auto deadline = std::chrono::steady_clock::now() + kLimit;
  std::vector<std::filesystem::path> logs;
  for (std::size_t i = 0; i < support::ZookeeperEnsemble::kServers; ++i) {
    logs.push_back(ensemble.server(i).data());
  }
  while (std::chrono::steady_clock::now() < deadline) {
    std::vector<Transaction> transactions = read_transactions(logs, root);
    const bool complete = std::ranges::any_of(
        transactions, [&](const Transaction& known) { return known.path == marker; });
    if (complete) return transactions;
    poll(nullptr, 0, 20);
  }
  throw std::runtime_error("no server writes its transaction log");
}

}  // namespace lockstep::chaos
