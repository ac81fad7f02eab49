#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "lockstep/request.h"
#include "lockstep/watch.h"

namespace lockstep::zookeeper {

// The table, out of three, that the C client has put a watch into (zookeeper.c, the result
// checkers).
enum class WatchTable : std::uint8_t { kNone, kNode, kExist, kChild };

// The watches of one session, and the entries of the C client's tables that result from them.
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
// A watch that only this registry still holds is forgotten. When the last one of an entry is, the
// entry is abandoned: it stays in the tables, and is sent to the server with each reconnect, until
// an event or a removal request empties it. That request is safe although it names a path and no
// watch: it is sent when no read that would leave a watch there is in flight. The server handles a
// later read after it, and its reply reaches the C client after the removal's; the C client removes
// its entry when it reads the reply and not when it sends the request (zookeeper.c,
// deactivateWatcher).
class WatchRegistry {
 public:
  // Notified when there is a new abandoned entry. Called from destructors: must not run anything.
  class Owner {
   public:
    virtual void abandoned() noexcept = 0;

   protected:
    ~Owner() = default;
  };

  // The arguments of a request to remove an abandoned entry.
  class Abandoned {
   public:
    Abandoned(Path znode, WatchType watch_type) : path(std::move(znode)), type(watch_type) {}
    Path path;
    WatchType type;
  };

  explicit WatchRegistry(Owner& owner) : owner_(owner) {}
  WatchRegistry(const WatchRegistry&) = delete;
  WatchRegistry& operator=(const WatchRegistry&) = delete;
  // By then every watch has been taken out.
  ~WatchRegistry() = default;

  // A read that may leave a watch is about to be sent. answered() follows exactly once.
  void asked(OpCode read, const Path& path);
  // It has left its watch in that table, or none. The registry takes over the reference.
  void answered(OpCode read, const Path& path, WatchTable table, internal::WatchState& watch);

  // Takes out the watches that an event concerns, in the order of their registration, each with its
  // reference.
  [[nodiscard]] std::vector<internal::WatchState*> take_fired(EventType type, const Path& path);
  // The same for those that the C client has removed, in the order in which they were registered.
  [[nodiscard]] std::vector<internal::WatchState*> take_removed(const Path& path, WatchType type);
  // In the order in which they were registered.
  [[nodiscard]] std::vector<internal::WatchState*> take_all();

  // Where a watch is registered.
  class Place {
   public:
    Place(Path znode, WatchType watch_type, bool is_alone)
        : path(std::move(znode)), type(watch_type), alone(is_alone) {}
    Path path;
    WatchType type;
    bool alone;  // No other watch shares its entry, and no read under way could leave one there.
  };
  [[nodiscard]] std::optional<Place> find(const internal::WatchState* watch) const;
  // Takes one watch out, with its reference; false if it is not registered here. `alone`: the C
  // client has removed its entry, too.
  [[nodiscard]] bool take_back(internal::WatchState& watch, bool alone);

  // An abandoned entry, which is not returned again before removal_ended(); nullopt if there is
  // none.
  [[nodiscard]] std::optional<Abandoned> next_abandoned();
  // The outcome of the request to remove it; take_removed() comes first if it was done. If the
  // server knew of no such watch, it is not tried again on this connection. If the connection was
  // lost, it is.
  void removal_ended(const Path& path, WatchType type, bool no_watcher);
  // The C client has set the watches of all entries again.
  void reconnected();

  // Bytes of the paths of all entries in the packet that sets them again, including those that
  // reads in flight may add.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // Bytes that this read may add.
  [[nodiscard]] std::size_t bytes_added_by(OpCode read, const Path& path) const;
  [[nodiscard]] std::size_t abandoned_bytes() const noexcept { return abandoned_bytes_; }

 private:
  // Ordered by path and table; node and exist are emptied together, so they are one here.
  class Key {
   public:
    Key(Path znode, WatchType watch_type) : path(std::move(znode)), type(watch_type) {}
    friend bool operator<(const Key& a, const Key& b) noexcept {
      const int order = a.path.view().compare(b.path.view());
      return order != 0 ? order < 0 : a.type < b.type;
    }
    Path path;
    WatchType type;
  };
  class Entry;

  // One watch of an entry.
  class Registration final : public internal::WatchKeeper {
   public:
    Registration(Entry& of, internal::WatchState& state) : entry(of), watch(state) {}
    void forgotten(internal::WatchState&) noexcept override;

    Entry& entry;
    internal::WatchState& watch;  // One reference.
    std::list<Registration>::iterator self;
    std::uint64_t number = 0;  // In the order of registration.
  };

  class Entry {
   public:
    explicit Entry(WatchRegistry& of) : registry(of) {}
    [[nodiscard]] bool is_armed() const { return node || exist; }
    [[nodiscard]] bool is_asked_for() const { return asking != 0 || asking_exists != 0; }
    [[nodiscard]] bool is_abandoned() const {
      return is_armed() && watches.empty() && !is_asked_for();
    }
    [[nodiscard]] bool is_over() const {
      return !is_armed() && watches.empty() && !is_asked_for() && !queued && !removing;
    }
    // Bytes in one table: a length and the path.
    [[nodiscard]] std::size_t slot() const { return slot_of(key->path); }
    [[nodiscard]] bool takes_slot(OpCode read) const {
      return read == OpCode::kExists ? exist || asking_exists != 0 : node || asking != 0;
    }
    // The reads of a kind in flight.
    [[nodiscard]] std::uint32_t& asking_for(OpCode read) {
      return read == OpCode::kExists ? asking_exists : asking;
    }

    WatchRegistry& registry;
    const Key* key = nullptr;
    bool node = false;  // In an entry for children: the table of children.
    bool exist = false;
    bool queued = false;      // In abandoned_.
    bool removing = false;    // The server has been asked.
    bool no_watcher = false;  // The server answered so.
    std::uint32_t asking = 0;
    std::uint32_t asking_exists = 0;
    std::size_t counted = 0;  // In bytes_.
    std::size_t counted_as_abandoned = 0;
    std::list<Registration> watches;
  };

  [[nodiscard]] static std::size_t slot_of(const Path& path) {
    return sizeof(std::int32_t) + path.view().size();
  }
  [[nodiscard]] static Key key_of(OpCode read, const Path& path);
  [[nodiscard]] Registration* registration_of(const internal::WatchState* watch) const;
  using ByNumber = std::map<std::uint64_t, internal::WatchState*>;
  void take(const Path& path, WatchType type, ByNumber& taken);
  static void take_watches(Entry& entry, ByNumber& taken);
  static void append(const ByNumber& taken, std::vector<internal::WatchState*>& all);
  void forget(Registration& registration) noexcept;
  // Called after each change: queues an abandoned entry, updates the sums, and drops an empty
  // entry.
  void settle(Entry& entry);

  Owner& owner_;
  std::map<Key, Entry> entries_;
  std::deque<Entry*> abandoned_;  // May have changed since.
  std::uint64_t registered_ = 0;
  std::size_t bytes_ = 0;
  std::size_t abandoned_bytes_ = 0;
};

}  // namespace lockstep::zookeeper
