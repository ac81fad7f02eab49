#include "leftovers.h"

namespace lockstep::scenarios {

void no_watch_is_left(const fakezk::World& world, search::Verdict& verdict) {
  const fakezk::Server& server = world.server();
  for (const fakezk::Change& change : server.history()) {
    if (change.kind != fakezk::Change::Kind::kDeleted || server.tree().find(change.path)) continue;
    if (!server.replica(0).data_watches().any(change.path)) continue;
    verdict.report(
        "user:leaked-watch",
        "the server still watches for the creation of " + server.paths().path(change.path).string(),
        world.steps());
  }
}

void no_ephemeral_is_left(const fakezk::World& world, search::Verdict& verdict) {
  const fakezk::Server& server = world.server();
  for (const fakezk::Change& change : server.history()) {
    if (change.kind != fakezk::Change::Kind::kCreated || change.owner == 0) continue;
    const fakezk::Znode* const znode = server.tree().find(change.path);
    if (!znode || znode->czxid != change.zxid || !server.session_alive(change.owner)) continue;
    verdict.report(
        "user:leaked-znode",
        server.paths().path(change.path).string() + " is still there, and no client knows of it",
        world.steps());
  }
}

}  // namespace lockstep::scenarios
