#include "interop/judge.h"

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace lockstep::interop {

namespace {

using chaos::Transaction;

constexpr std::size_t kDigits = 10;

enum class Kind : std::uint8_t { kExclusive, kShared, kLease };

struct Contender {
  std::int64_t session = 0;
  std::string parent;
  Kind kind{};
  std::int64_t number = 0;
  bool inside = false;
};

std::pair<std::string, std::string> parts_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return {path.substr(0, slash), path.substr(slash + 1)};
}

std::optional<Kind> kind_of(std::string_view name) {
  const std::string_view front = name.substr(0, name.size() - kDigits);
  if (front.ends_with("-lock-") || front.ends_with("__lock__")) return Kind::kExclusive;
  if (front.ends_with("__WRIT__")) return Kind::kExclusive;
  if (front.ends_with("__READ__")) return Kind::kShared;
  if (front.ends_with("-lease-")) return Kind::kLease;
  return std::nullopt;
}

std::optional<Contender> contender_of(const Transaction& created) {
  const auto [parent, name] = parts_of(created.path);
  if (!created.ephemeral || name.size() < kDigits) return std::nullopt;
  const std::optional<Kind> kind = kind_of(name);
  if (!kind) return std::nullopt;
  Contender contender{created.session, parent, *kind};
  const char* const end = name.data() + name.size();
  std::from_chars(end - kDigits, end, contender.number);
  return contender;
}

class History {
 public:
  explicit History(std::size_t leases) : leases_(leases) {}

  void follow(const Transaction& transaction) {
    switch (transaction.kind) {
      case Transaction::Kind::kCreate: return created(transaction);
      case Transaction::Kind::kDelete: return deleted(transaction);
      case Transaction::Kind::kEndOfSession:
        std::erase_if(living_, [&transaction](const auto& entry) {
          return entry.second.session == transaction.session;
        });
    }
  }

  [[nodiscard]] Verdict end() {
    for (const auto& [name, contender] : living_) violated(name, "is left at the end");
    return std::move(verdict_);
  }

 private:
  void created(const Transaction& transaction) {
    const std::string name = parts_of(transaction.path).second;
    if (const auto contender = contender_of(transaction)) {
      living_.emplace(name, *contender);
    } else if (name.ends_with(".in")) {
      enter(name.substr(0, name.size() - 3), transaction.session);
    } else if (name.ends_with(".out")) {
      const auto found = living_.find(name.substr(0, name.size() - 4));
      if (found != living_.end()) found->second.inside = false;
    }
  }

  void deleted(const Transaction& transaction) {
    const auto found = living_.find(parts_of(transaction.path).second);
    if (found == living_.end()) return;
    if (found->second.session != transaction.session) {
      violated(found->first, "is deleted by another session than its own");
    }
    living_.erase(found);
  }

  void enter(const std::string& name, std::int64_t session) {
    ++verdict_.entries;
    const auto found = living_.find(name);
    if (found == living_.end() || found->second.session != session) {
      return violated(name, "enters without a znode");
    }
    Contender& own = found->second;
    if (own.inside) violated(name, "enters twice");
    std::size_t held = 1;
    for (const auto& [other_name, other] : living_) {
      if (other.parent != own.parent || other_name == name) continue;
      if (other.kind == Kind::kLease) {
        held += other.inside ? 1 : 0;
      } else if (other.kind == Kind::kExclusive || own.kind == Kind::kExclusive) {
        judge_pair(name, own, other_name, other);
      }
    }
    if (own.kind == Kind::kLease && held > leases_) violated(name, "takes a lease too many");
    own.inside = true;
  }

  void judge_pair(const std::string& name, const Contender& own, const std::string& other_name,
                  const Contender& other) {
    if (other.inside) {
      violated(name, "enters while " + other_name + " is inside");
    } else if (other.number < own.number) {
      violated(name, "enters before " + other_name);
    }
  }

  void violated(const std::string& name, const std::string& how) {
    verdict_.violations.push_back(name + " " + how);
  }

  std::size_t leases_;
  // By the znode's name, which every library makes unique.
  std::map<std::string, Contender> living_;
  Verdict verdict_;
};

}  // namespace

Verdict judge(const std::vector<Transaction>& history, std::size_t leases) {
  History followed(leases);
  for (const Transaction& transaction : history) followed.follow(transaction);
  return followed.end();
}

}  // namespace lockstep::interop
