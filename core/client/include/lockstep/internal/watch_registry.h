#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/internal/pool_allocator.h"
#include "lockstep/request.h"
#include "lockstep/watch.h"

namespace lockstep::internal {

// The table, out of three, that the C client puts the watch of a read into.
enum class WatchTable : std::uint8_t { kNone, kNode, kExist, kChild };

// The table for a read with that outcome (no error: success). The C client registers a watcher when
// the read has succeeded, and for exists also when there is no such znode; otherwise it forgets it
// (zookeeper.c, the result checkers).
[[nodiscard]] WatchTable table_of(OpCode read, std::optional<Error> error) noexcept;

// The key of an entry. `type` is kChild or kData.
class WatchKey {
 public:
  WatchKey(Path znode, WatchType watch_type) : path(std::move(znode)), type(watch_type) {}
  Path path;
  WatchType type;
};

// The watches on one path: those of get_children, or those of exists and get_data, which events and
// removals empty together. It exists while the C client has an entry for them, a watch, or a read
// in flight that may leave one.
class WatchEntry {
 public:
  explicit WatchEntry(WatchRegistry& of) : registry(of) {}
  [[nodiscard]] bool is_armed() const noexcept { return node != 0 || exist != 0; }
  [[nodiscard]] bool is_asked_for() const noexcept { return asking != 0 || asking_exists != 0; }
  [[nodiscard]] bool is_abandoned() const noexcept {
    return is_armed() && !first && !is_asked_for();
  }
  [[nodiscard]] bool is_over() const noexcept {
    return !is_armed() && !first && !is_asked_for() && !queued && !removing;
  }
  [[nodiscard]] bool takes_slot(OpCode read) const noexcept {
    return read == OpCode::kExists ? exist != 0 || asking_exists != 0 : node != 0 || asking != 0;
  }
  // The number of reads of a kind in flight.
  [[nodiscard]] std::uint32_t& asking_for(OpCode read) noexcept {
    return read == OpCode::kExists ? asking_exists : asking;
  }
  void append(WatchState& watch) noexcept;
  void erase(WatchState& watch) noexcept;
  // Takes out all watches: a chain in the order of registration, linked by next_.
  [[nodiscard]] WatchState* take_all() noexcept;

  WatchRegistry& registry;
  const WatchKey* key = nullptr;
  // The number of the registration that put an entry into the C client's table of nodes (for
  // get_children: of children), and into that of exists; 0: it has none there.
  std::uint64_t node = 0;
  std::uint64_t exist = 0;
  WatchState* first = nullptr;  // The watches, in the order of registration.
  WatchState* last = nullptr;
  std::uint32_t asking = 0;
  std::uint32_t asking_exists = 0;
  bool queued = false;      // It is in WatchRegistry's queue of abandoned entries.
  bool removing = false;    // The server has been asked to remove it.
  bool no_watcher = false;  // The server knew of no such watch.
  std::size_t counted = 0;  // In WatchRegistry::bytes_.
  std::size_t counted_as_abandoned = 0;
  WatchEntry* next_abandoned = nullptr;  // In that queue.
};

// For backends: the watches of one session, and the entries of the C client's tables that result
// from them. On the session's executor only.
//
// All reads of a session leave their watches with one watcher function and one context, so the C
// client stores one entry for each path and table, however many watches share it, and calls once
// for each event. (With a context for each watch, it compares each with all others when it reports
// a session event: zk_hashtable.c, add_to_list.) This registry knows which watches an event
// concerns: CREATED and CHANGED empty the tables of node and exist, CHILD that of children, DELETED
// all three (collectWatchers). The C client fills and empties its tables when it reads a message,
// and the session sees the messages in the same order, so after each message the tables here equal
// those that the C client had after it.
//
// Changes need no memory, except those by asked(), and by add() without it: watches are dropped in
// destructors, and end with a session that has no memory left.
//
// The registry owns no watch: Watches and requests in flight do, and a watch without an owner
// leaves the registry. When the last one of an entry has left, the entry is abandoned: it stays in
// the tables, and is sent to the server with each reconnect, until an event or a removal request
// empties it. That request is safe although it names a path and no watch: it is sent when no read
// that would leave a watch there is in flight. The server handles a later read after it, and its
// reply reaches the C client after the removal's; the C client removes its entry when it reads the
// reply and not when it sends the request (zookeeper.c, deactivateWatcher).
class WatchRegistry {
 public:
  // The owner of a registry that limits bytes() and removes abandoned entries. It is notified when
  // there is a new abandoned entry; called from destructors, it must not run anything.
  class Owner {
   public:
    virtual void abandoned() noexcept = 0;

   protected:
    ~Owner() = default;
  };

  WatchRegistry() = default;  // without an owner
  explicit WatchRegistry(Owner& owner) : owner_(&owner) {}
  WatchRegistry(const WatchRegistry&) = delete;
  WatchRegistry& operator=(const WatchRegistry&) = delete;
  ~WatchRegistry();

  // A read that may leave a watch is about to be sent; answered() follows exactly once. Only with
  // an owner.
  void asked(OpCode read, const Path& path);
  // The read has been answered; if it left a watch, that has been added.
  void answered(OpCode read, const Path& path);
  // A read has left a watch in that table, which is not kNone.
  void add(WatchTable table, const Path& path, WatchState& watch);

  // These resolve the watches that they concern, in the order of registration.
  // An event at `path`, which the watches' owners know as `shown`.
  void fire(EventType type, const Path& path, const Path& shown);
  // The C client has removed the watches of that type: kNoWatcher.
  void removed(const Path& path, WatchType type);
  // One watch is taken back: kNoWatcher. Returns false if it is not registered here. `alone`: the C
  // client has removed its entry, too.
  bool take_back(WatchState& watch, bool alone);
  // The session has ended with that error; nothing is registered any more.
  void end(Error error);

  // The place at which a watch is registered.
  class Place {
   public:
    Place(Path znode, WatchType watch_type, bool is_alone)
        : path(std::move(znode)), type(watch_type), alone(is_alone) {}
    Path path;
    WatchType type;
    bool alone;  // No other watch shares its entry, and no read under way could leave one there.
  };
  // Null is registered nowhere.
  [[nodiscard]] std::optional<Place> find(const WatchState* watch) const;
  // Fills in the arguments of a request that takes back one watch; returns false if it is not
  // registered here. The C client checks this before it sends the request (zookeeper.c,
  // aremove_watches).
  [[nodiscard]] bool complete(Request& request) const;
  // Whether there is neither a watch nor an entry.
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  // The paths of the watches that have an owner, in the order of registration.
  [[nodiscard]] std::vector<Path> watched() const;
  // The paths in one of the C client's tables, in the order in which it names them to a server.
  [[nodiscard]] std::vector<Path> paths_in(WatchTable table) const;

  // An abandoned entry, which is not returned again before removal_ended(): the arguments of a
  // request to remove it. Returns nullopt if there is none.
  class Abandoned {
   public:
    Abandoned(Path znode, WatchType watch_type) : path(std::move(znode)), type(watch_type) {}
    Path path;
    WatchType type;
  };
  [[nodiscard]] std::optional<Abandoned> next_abandoned();
  // The outcome of the request to remove it; on success, removed() is called before this. If the
  // server knew of no such watch, the removal is not tried again on this connection; if the
  // connection was lost, it is.
  void removal_ended(const Path& path, WatchType type, bool no_watcher);
  // The C client has set the watches of all entries again.
  void reconnected();

  // With an owner: bytes of the paths of all entries in the packet that sets them again, including
  // those that reads in flight may add.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // Bytes that this read may add.
  [[nodiscard]] std::size_t bytes_added_by(OpCode read, const Path& path) const;
  [[nodiscard]] std::size_t abandoned_bytes() const noexcept { return abandoned_bytes_; }

 private:
  friend class WatchState;

  // A key for a lookup, without a copy of the path.
  class Sought {
   public:
    Sought(const Path& znode, WatchType watch_type) noexcept : path(znode), type(watch_type) {}
    const Path& path;
    WatchType type;
  };
  // Orders by the hash of the path, which is the same everywhere, because comparing it is fast.
  class Order {
   public:
    using is_transparent = void;
    template <class A, class B>
    [[nodiscard]] bool operator()(const A& a, const B& b) const noexcept {
      const Text& ours = a.path.text();
      const Text& theirs = b.path.text();
      if (ours.hash() != theirs.hash()) return ours.hash() < theirs.hash();
      if (a.type != b.type) return a.type < b.type;
      return !(ours == theirs) && ours.view() < theirs.view();
    }
  };
  using Entries =
      std::map<WatchKey, WatchEntry, Order, PoolAllocator<std::pair<const WatchKey, WatchEntry>>>;

  [[nodiscard]] static WatchType type_of(OpCode read) noexcept {
    return read == OpCode::kGetChildren ? WatchType::kChild : WatchType::kData;
  }
  [[nodiscard]] WatchEntry& entry_for(const Path& path, WatchType type);
  // Null if there is none.
  [[nodiscard]] WatchEntry* entry_of(const Path& path, WatchType type);
  // Empties the entries of one path, either of which may be null. Calls resolve(watch) for each
  // watch, which is no longer registered.
  template <class Resolve>
  void empty(WatchEntry* data, WatchEntry* child, Resolve resolve);
  // The watch of two entries that was registered first; null if they have none.
  [[nodiscard]] static WatchState* earliest(const WatchEntry* data,
                                            const WatchEntry* child) noexcept;
  // The watch has no owner any more.
  void forget(WatchState& watch) noexcept;
  // Called after each change: drops an entry that is over.
  void settle(WatchEntry& entry) noexcept;
  // For the owner: queues an abandoned entry, and updates the sums.
  void account_for(WatchEntry& entry) noexcept;
  // Takes out all watches: a chain in the order of registration.
  [[nodiscard]] WatchState* take_all() noexcept;
  // Merges two such chains, either of which may be null.
  [[nodiscard]] static WatchState* merged(WatchState* one, WatchState* other) noexcept;

  Owner* owner_ = nullptr;
  Entries entries_;
  // The queue of abandoned entries. Some may have changed since they were queued.
  WatchEntry* first_abandoned_ = nullptr;
  WatchEntry* last_abandoned_ = nullptr;
  std::uint64_t registered_ = 0;
  std::size_t bytes_ = 0;
  std::size_t abandoned_bytes_ = 0;
};

}  // namespace lockstep::internal
