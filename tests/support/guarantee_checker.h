#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fakezk/trace.h"
#include "lockstep/fakezk/world.h"

namespace lockstep::support {

// The state of a znode after one transaction, derived from the history alone.
struct PastZnode {
  Zxid czxid = 0;
  Zxid mzxid = 0;
  Zxid pzxid = 0;
  std::set<std::string> children;
};
using PastTree = std::map<std::string, PastZnode>;

// Watches an execution on the wire and compares what each client receives with what the servers
// committed: ZooKeeper's guarantees (Programmer's Guide, "Consistency Guarantees";
// docs/zookeeper-semantics.md, Z13, Z34, Z38 to Z46, Z62, Z73 to Z76).
class GuaranteeChecker final : public fakezk::Tracer {
 public:
  explicit GuaranteeChecker(const fakezk::World& world) : world_(world) {}

  void step(const fakezk::Step& step) override;
  void note(std::uint32_t, std::string_view) override {}

  // The first broken guarantee.
  [[nodiscard]] const std::optional<std::string>& broken() const { return broken_; }
  [[nodiscard]] std::uint64_t reads_checked() const { return reads_checked_; }
  [[nodiscard]] std::uint64_t events_checked() const { return events_checked_; }

 private:
  enum class Kind : std::uint8_t { kData, kExist, kChild };
  struct Asked {
    OpCode op;
    std::string path;
    bool watches;
    Zxid committed;  // By the leader, when the request was taken up.
  };
  struct Armed {
    Kind kind;
    std::string path;
    Zxid since;  // Every event up to here has been delivered.
  };
  // The facts that one client knows, over all connections of one session.
  struct Client {
    std::deque<Asked> asked;
    std::vector<Armed> armed;
    Zxid seen = 0;
    Zxid fresh = 0;         // A sync has promised that reads show this.
    bool rearming = false;  // Reconnected, and the watches are not yet set again.
  };

  void taken_up(const fakezk::Step& step);
  // A cut first lets the server take up some requests; a close among them is still answered.
  void taken_up_by_cut(const fakezk::Step& step);
  void received(const fakezk::Step& step);
  void answered(Client& client, const fakezk::ServerMessage& message);
  void check_removal(Client& client, const Asked& asked, const fakezk::ServerMessage& message);
  void check_read(Client& client, const Asked& asked, const fakezk::ServerMessage& message);
  void check_event(Client& client, const fakezk::ServerMessage& message);
  void check_rearmed(Client& client, Zxid zxid);
  void arm(Client& client, const Asked& asked, bool found, Zxid zxid);
  // Looks for an event that should have come before a reply that shows `zxid`.
  void check_owed(const Client& client, Zxid zxid);
  void check_history();
  [[nodiscard]] bool fires(const fakezk::Change& change, const Armed& armed) const;
  [[nodiscard]] PastTree tree_at(Zxid zxid) const;
  [[nodiscard]] std::string text(fakezk::PathId path) const {
    return world_.server().paths().path(path).string();
  }
  void fail(std::string what) {
    if (!broken_) broken_ = "step " + std::to_string(world_.steps()) + ": " + std::move(what);
  }

  const fakezk::World& world_;
  std::map<fakezk::LinkIndex, Client> clients_;
  std::size_t history_checked_ = 0;
  std::optional<std::string> broken_;
  std::uint64_t reads_checked_ = 0;
  std::uint64_t events_checked_ = 0;
};

}  // namespace lockstep::support
