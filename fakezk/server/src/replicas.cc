#include "lockstep/fakezk/replicas.h"

#include <string>

namespace lockstep::fakezk {

namespace {

// The members of a zoo.cfg as QuorumMaj.toString prints them, without the clientPort. The addresses
// are invented: no client reaches a server over them.
Data members(ReplicaIndex count) {
  constexpr std::uint32_t kQuorumPort = 2887;
  constexpr std::uint32_t kElectionPort = 3887;
  std::string text;
  for (ReplicaIndex number = 1; number <= count; ++number) {
    text += "server." + std::to_string(number) +
            "=127.0.0.1:" + std::to_string(kQuorumPort + number) + ":" +
            std::to_string(kElectionPort + number) + ":participant\n";
  }
  return Data(text + "version=0");
}

}  // namespace

Replicas::Replicas(const std::shared_ptr<PathTable>& paths, const AclTable& acls,
                   Unspecified& unspecified, ReplicaIndex count) {
  replicas_.reserve(count);
  while (replicas_.size() < count) replicas_.emplace_back(paths, acls, unspecified);
  if (count > 1) leaders_own_ = std::make_unique<ZnodeTree>(paths);
  committed_ = leaders_own_ ? leaders_own_.get() : &replicas_.front().tree();
  if (!leaders_own_) return;
  leaders_own_->plant_config(members(count));
  for (Replica& replica : replicas_) replica.tree().plant_config(members(count));
}

void Replicas::reset(const std::shared_ptr<PathTable>& paths) {
  if (leaders_own_) leaders_own_->reset(paths);
  for (Replica& replica : replicas_) replica.reset(paths);
}

Replicas::Checkpoint Replicas::checkpoint() const {
  Checkpoint checkpoint;
  for (const Replica& replica : replicas_) {
    checkpoint.replicas.push_back(
        {replica.tree().checkpoint(), replica.last_zxid, replica.applied, replica.lagging});
  }
  if (leaders_own_) checkpoint.committed = leaders_own_->checkpoint();
  return checkpoint;
}

void Replicas::reset_to(const Checkpoint& checkpoint) {
  for (std::size_t index = 0; index < replicas_.size(); ++index) {
    const Checkpoint::Kept& kept = checkpoint.replicas[index];
    Replica& replica = replicas_[index];
    replica.forget_all();
    replica.tree().reset_to(kept.tree);
    replica.last_zxid = kept.last_zxid;
    replica.applied = kept.applied;
    replica.lagging = kept.lagging;
    replica.unreachable = false;
    replica.held = false;
  }
  if (leaders_own_) leaders_own_->reset_to(*checkpoint.committed);
}

void Replicas::record_into(FootprintRecorder* recorder) {
  std::uint32_t tree = 0;
  if (leaders_own_) leaders_own_->record_into(recorder, tree++);
  for (Replica& replica : replicas_) replica.record_into(recorder, tree++);
}

void Replicas::wind_sequence(PathId parent, std::int32_t children_created) {
  if (leaders_own_) leaders_own_->wind_sequence(parent, children_created);
  for (Replica& replica : replicas_) replica.tree().wind_sequence(parent, children_created);
}

void Replicas::advance_to(Zxid zxid) {
  for (Replica& replica : replicas_) replica.last_zxid = zxid;
}

}  // namespace lockstep::fakezk
