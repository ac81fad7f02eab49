#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "chaos/judge.h"
#include "lockstep/lock_observer.h"
#include "lockstep/sequence.h"

namespace lockstep::chaos {

namespace {

constexpr std::int64_t kNeverEnds = std::numeric_limits<std::int64_t>::max();
constexpr std::array kMarks = {Mark{kLockMark, Share::kExclusive}, Mark{kReadMark, Share::kShared},
                               Mark{kWriteMark, Share::kExclusive}};

// One life of a contender's znode.
struct Life {
  std::string path;
  Contender contender{};
  bool lease = false;
  std::int64_t owner = 0;
  std::int64_t created = 0;
  std::int64_t deleted = kNeverEnds;
  std::int64_t deleted_by = 0;  // 0 if it ended with its session.
};

std::string_view parent_of(std::string_view path) { return path.substr(0, path.rfind('/')); }
std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Returns none if the name is not a contender's.
std::optional<Life> life_of(const Transaction& created) {
  Life life;
  life.path = created.path;
  life.owner = created.session;
  life.created = created.zxid;
  const std::string_view name = name_of(created.path);
  if (name == kUnfairZnode) {
    life.contender = {0, Share::kExclusive};
  } else if (const auto number = sequence_number(name, kLeaseMark)) {
    life.contender = {*number, Share::kShared};
    life.lease = true;
  } else if (const auto known = contender(name, kMarks)) {
    life.contender = *known;
  } else {
    return std::nullopt;
  }
  return life;
}

// Whether it is what `grant` continues: that znode, or the writer whose number it has taken over.
bool is_continued(std::string_view znode, std::int64_t owner, const Event& grant) {
  const std::optional<std::int32_t> number = sequence_number(grant.continues, "");
  return number && owner == grant.session && sequence_number(znode, "") == number;
}

// The lives of all contenders by parent, in the order of their creation.
class Lives {
 public:
  explicit Lives(const std::vector<Transaction>& transactions, std::vector<Violation>& violations)
      : violations_(violations) {
    for (const Transaction& transaction : transactions) follow(transaction);
  }

  std::map<std::string, std::vector<Life>, std::less<>> by_parent;

 private:
  void follow(const Transaction& transaction) {
    if (transaction.kind == Transaction::Kind::kEndOfSession) return end(transaction);
    if (transaction.kind == Transaction::Kind::kDelete) return remove(transaction);
    const std::optional<Life> life = life_of(transaction);
    if (!transaction.ephemeral || !life) return;
    std::vector<Life>& siblings = by_parent[std::string(parent_of(life->path))];
    living_[life->path] = {std::string(parent_of(life->path)), siblings.size()};
    siblings.push_back(*life);
  }
  void remove(const Transaction& transaction) {
    const auto found = living_.find(transaction.path);
    if (found == living_.end()) return;
    Life& life = by_parent[found->second.first][found->second.second];
    life.deleted = transaction.zxid;
    life.deleted_by = transaction.session;
    if (life.deleted_by != life.owner) {
      violations_.push_back({"server order", std::string(parent_of(life.path)),
                             life.path + " was deleted by another session than its own", 0});
    }
    living_.erase(found);
  }
  void end(const Transaction& transaction) {
    std::erase_if(living_, [&](const auto& entry) {
      Life& life = by_parent[entry.second.first][entry.second.second];
      if (life.owner != transaction.session) return false;
      life.deleted = transaction.zxid;
      return true;
    });
  }

  std::vector<Violation>& violations_;
  std::map<std::string, std::pair<std::string, std::size_t>> living_;
};

// Compares the grants of one queue with the lives of its contenders.
class Queue {
 public:
  Queue(const std::vector<Life>& lives, std::vector<Violation>& violations)
      : lives_(lives), violations_(violations) {}

  // Judges grants in the order of their evidence.
  void judge(const Event& grant) {
    const auto own = std::ranges::find_if(lives_, [&](const Life& life) {
      return life.created == grant.created && life.path == grant.znode;
    });
    if (own == lives_.end()) return violated(grant, "its znode never existed");
    if (own->owner != grant.session) violated(grant, "its znode is another session's");
    if (own->created > grant.evidence || own->deleted <= grant.evidence) {
      violated(grant, "its znode did not exist at its evidence");
    }
    judge_front(grant, *own);
    judge_earlier(grant, *own);
    judge_token(grant);
  }

 private:
  struct Held {
    Event grant;
    std::int64_t end;
  };

  void judge_front(const Event& grant, const Life& own) {
    while (next_ < lives_.size() && lives_[next_].created <= grant.evidence) {
      alive_.push_back(&lives_[next_++]);
    }
    std::erase_if(alive_, [&](const Life* life) { return life->deleted <= grant.evidence; });
    int leases = 0;
    for (const Life* const other : alive_) {
      if (other->lease) ++leases;
      if (own.lease || is_continued(other->path, other->owner, grant)) continue;
      if (blocks(other->contender, own.contender)) {
        violated(grant, other->path + " was in front");
      }
    }
    if (own.lease && leases > kLeases) {
      violated(grant, std::to_string(leases) + " leases existed at its evidence");
    }
  }

  void judge_earlier(const Event& grant, const Life& own) {
    std::erase_if(held_, [&](const Held& held) { return held.end <= grant.evidence; });
    for (const Held& held : held_) {
      if (held.grant.created == grant.created && held.grant.znode == grant.znode) {
        violated(grant, "it was granted twice");
      } else if (!(held.grant.shared && grant.shared) &&
                 !is_continued(held.grant.znode, held.grant.session, grant)) {
        violated(grant, "it overlaps with the grant of " + held.grant.znode);
      }
    }
    held_.push_back({grant, own.deleted});
  }

  void judge_token(const Event& grant) {
    if (grant.shared ? grant.token < newest_exclusive_ : grant.token <= newest_) {
      violated(grant, "its token is not newer than those before");
    }
    newest_ = std::max(newest_, grant.token);
    if (!grant.shared) newest_exclusive_ = std::max(newest_exclusive_, grant.token);
  }

  void violated(const Event& grant, const std::string& what) {
    violations_.push_back(
        {"server order", grant.lock, grant.znode + " was granted: " + what, grant.at});
  }

  const std::vector<Life>& lives_;
  std::vector<Violation>& violations_;
  std::size_t next_ = 0;
  std::vector<const Life*> alive_;  // Contenders alive at the current grant's evidence.
  std::vector<Held> held_;
  std::int64_t newest_ = 0;
  std::int64_t newest_exclusive_ = 0;
};

void judge_release(const Event& release, const std::vector<Life>& lives,
                   std::vector<Violation>& violations) {
  if (static_cast<ReleaseOutcome>(release.detail) != ReleaseOutcome::kReleased) return;
  const auto own = std::ranges::find_if(lives, [&](const Life& life) {
    return life.created == release.created && life.path == release.znode;
  });
  if (own != lives.end() && own->deleted_by == own->owner) return;
  violations.push_back({"server order", release.lock,
                        release.znode + " was released, but its session had not deleted it",
                        release.at});
}

// A grant taken over rests on the deletion of the znode that was in front. If that znode was not
// deleted, the grant is judged by the list, which shows it in front.
void rest_on_deletion(Event& grant, const std::vector<Life>& lives) {
  if (grant.after.empty()) return;
  const auto in_front = std::ranges::find_if(lives, [&](const Life& life) {
    return life.path == grant.after && life.created <= grant.evidence &&
           life.deleted > grant.evidence && life.deleted != kNeverEnds;
  });
  if (in_front != lives.end()) grant.evidence = in_front->deleted;
}

}  // namespace

void judge_server_order(const std::vector<Event>& events,
                        const std::vector<Transaction>& transactions,
                        std::vector<Violation>& violations, Judged& judged) {
  Lives lives(transactions, violations);
  std::map<std::string, std::vector<Event>> grants;
  for (const Event& event : events) {
    const std::string parent(parent_of(event.znode));
    if (event.kind == Kind::kGranted) grants[parent].push_back(event);
    if (event.kind == Kind::kReleased) judge_release(event, lives.by_parent[parent], violations);
  }
  for (auto& [parent, of_queue] : grants) {
    for (Event& grant : of_queue) rest_on_deletion(grant, lives.by_parent[parent]);
    std::ranges::sort(of_queue, {},
                      [](const Event& grant) { return std::pair(grant.evidence, grant.at); });
    Queue queue(lives.by_parent[parent], violations);
    for (const Event& grant : of_queue) queue.judge(grant);
    judged.grants += of_queue.size();
  }
}

}  // namespace lockstep::chaos
