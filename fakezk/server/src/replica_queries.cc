// Answers to requests beyond those of the seam (FinalRequestProcessor.processRequest).
#include <algorithm>
#include <string_view>
#include <utility>

#include "lockstep/fakezk/replica.h"

namespace lockstep::fakezk {

namespace {

// Lists them in any order: ZooKeeper keeps the identities of a connection in a hash table. A digest
// shows only its user (DigestAuthenticationProvider.getUserName).
void list_clients(const Identities& identities, Unspecified& unspecified,
                  std::vector<Identity>& clients) {
  clients.push_back({"ip", "127.0.0.1"});
  for (const Identity& shown : identities.list()) {
    clients.push_back({shown.scheme, shown.id.substr(0, shown.id.find(':'))});
  }
  unspecified.shuffle(clients);
}

// Java's String.trim.
std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Calls `visit` with each znode below `top`.
template <class Visit>
void visit_below(const ZnodeTree& tree, const Znode& top, Visit visit) {
  std::vector<PathId> left = top.children;
  while (!left.empty()) {
    const PathId id = left.back();
    left.pop_back();
    const Znode* const znode = tree.find(id);
    if (!znode) continue;
    visit(id, *znode);
    left.insert(left.end(), znode->children.begin(), znode->children.end());
  }
}

// About as many bytes as it takes.
std::size_t size_of(const Reply& reply) {
  std::size_t size = sizeof reply + reply.data.view().size();
  for (const std::string_view name : reply.children) size += sizeof(std::string_view) + name.size();
  return size;
}

}  // namespace

void Replica::list_ephemerals(const Query& query, const Asker& asker,
                              std::vector<Path>& ephemerals) {
  if (recorder_) recorder_->touches_everything();
  const std::string_view prefix = query.path.view();
  const std::string_view asked = trimmed(prefix);
  const bool all = asked.empty() || asked == "/";
  visit_below(tree_, *tree_.find(PathTable::kRoot), [&](PathId id, const Znode& znode) {
    if (znode.ephemeral_owner != asker.session) return;
    if (all || paths_->text(id).view().starts_with(prefix)) ephemerals.push_back(paths_->path(id));
  });
  unspecified_.shuffle(ephemerals);  // ZooKeeper keeps them in a hash set.
}

void Replica::count_descendants(const Query& query, const Asker& asker, QueryAnswer& answer,
                                Reply& reply) {
  if (recorder_) recorder_->touches_everything();
  const Znode* const top = known_as(paths_->intern(query.path.text()));
  if (!top) return refuse(reply, Error::kNoNode);
  if (!acls_.allows(top->acl, permission::kRead, asker.identities)) {
    return refuse(reply, Error::kNoAuth);
  }
  // Counts the paths that begin with this one and a slash: "/" is among those of the empty path.
  answer.descendants = query.path.view().empty() ? 1 : 0;
  visit_below(tree_, *top, [&](PathId, const Znode&) { ++answer.descendants; });
}

void Replica::add_lasting(PathId path, LinkIndex link, WatchMode mode) {
  if (recorder_ && mode == WatchMode::kRecursive) recorder_->touches_everything();
  tree_.note_existence(path);
  data_watches_.add(path, link, mode);
  child_watches_.add(path, link, mode);
}

void Replica::read_all(const Query& query, const Asker& asker, QueryAnswer& answer, Reply& reply) {
  std::size_t bytes = 0;
  for (const Request& asked : query.reads) {
    const PathId path = paths_->intern(asked.path.text());
    Reply& found = answer.replies.emplace_back();
    read(asked, path, asker.link, asker.identities, found);
    bytes += size_of(found);
    answer.too_long = bytes > QueryAnswer::kMostBytes;
    if (answer.too_long) return;
  }
  if (query.breaks_off) refuse(reply, Error::kMarshallingError);
}

void Replica::answer(const Query& query, const Asker& asker, QueryAnswer& answer, Reply& reply) {
  switch (query.kind) {
    case Query::Kind::kWhoAmI: return list_clients(asker.identities, unspecified_, answer.clients);
    case Query::Kind::kEphemerals: return list_ephemerals(query, asker, answer.ephemerals);
    case Query::Kind::kDescendants: return count_descendants(query, asker, answer, reply);
    case Query::Kind::kReads: return read_all(query, asker, answer, reply);
    case Query::Kind::kAddWatch:
      return add_lasting(paths_->intern(query.path.text()), asker.link, query.mode);
  }
}

}  // namespace lockstep::fakezk
