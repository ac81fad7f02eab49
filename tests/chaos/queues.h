#pragma once

#include <string>
#include <vector>

#include "chaos/transaction_log.h"
#include "real/zookeeper_ensemble.h"

namespace lockstep::chaos {

// The driver asks the servers these questions directly, past the proxies. Throws std::runtime_error
// if they do not answer in time.

void create_root(support::ZookeeperEnsemble& ensemble, const std::string& root);

// All contenders' znodes that there are below `root`.
[[nodiscard]] std::vector<std::string> znodes_in_queues(support::ZookeeperEnsemble& ensemble,
                                                        const std::string& root);

// Everything that has been committed below `root` until now.
[[nodiscard]] std::vector<Transaction> committed_transactions(support::ZookeeperEnsemble& ensemble,
                                                              const std::string& root);

}  // namespace lockstep::chaos
