#include "c_client_floor.h"

#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

namespace lockstep::zookeeper {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSessionTimeoutMs = 10'000;
constexpr std::chrono::seconds kConnectLimit(10);
constexpr std::chrono::seconds kPatience(20);
constexpr std::size_t kDigits = 10;
// As long as the names of the recipe's znodes.
constexpr const char* kPrefix = "/_c_00000000000000000000000000000000-lock-";

void check(int rc) {
  if (rc != ZOK) throw std::runtime_error("the C client alone: " + std::string(zerror(rc)));
}

// The shared state of the contenders in one measurement. They run on the threads of their sessions.
class Run {
 public:
  explicit Run(std::chrono::duration<double> time)
      : start_(Clock::now()), end_(start_ + std::chrono::duration_cast<Clock::duration>(time)) {}

  [[nodiscard]] bool is_over() const { return has_failed() || Clock::now() >= end_; }
  [[nodiscard]] bool has_failed() const { return failed_ != ZOK; }
  void begins() {
    const std::lock_guard lock(mutex_);
    ++live_;
  }
  void ended() {
    const std::lock_guard lock(mutex_);
    if (--live_ == 0) all_ended_.notify_all();
  }
  // Returns false on an error, which ends the run.
  bool check(int rc) {
    if (rc == ZOK) return true;
    failed_ = rc;
    return false;
  }
  // A contender with that number holds the lock. Fails if another one holds it, or came later.
  void enter(std::int64_t number) {
    const bool is_first = !inside_.exchange(true);
    if (!is_first || newest_.exchange(number) >= number) failed_ = ZRUNTIMEINCONSISTENCY;
  }
  void leave() { inside_ = false; }
  void cycle_took(Clock::duration time) {
    const std::lock_guard lock(mutex_);
    cycles_us_.push_back(std::chrono::duration<double, std::micro>(time).count());
  }
  // Returns false if a contender is still running long after the end, as when another one failed.
  [[nodiscard]] bool wait() {
    std::unique_lock lock(mutex_);
    return all_ended_.wait_until(lock, end_ + kPatience, [this] { return live_ == 0; });
  }
  // Call it only after all threads have finished with the run.
  [[nodiscard]] CClientFloor::Measured measured() {
    if (failed_ != ZOK || live_ != 0 || cycles_us_.empty()) {
      throw std::runtime_error("the C client alone: " + std::string(zerror(failed_)));
    }
    const std::chrono::duration<double> gone = Clock::now() - start_;
    const auto median = cycles_us_.begin() + static_cast<std::ptrdiff_t>(cycles_us_.size() / 2);
    std::ranges::nth_element(cycles_us_, median);
    return {static_cast<double>(cycles_us_.size()) / gone.count(), *median};
  }

 private:
  const Clock::time_point start_;
  const Clock::time_point end_;
  std::atomic<int> failed_ = ZOK;
  std::atomic<bool> inside_ = false;
  std::atomic<std::int64_t> newest_ = -1;
  std::mutex mutex_;
  int live_ = 0;
  std::condition_variable all_ended_;
  std::vector<double> cycles_us_;
};

// One contender. Its functions run one at a time, on the completion thread of its session.
class Contender {
 public:
  enum class Kind { kAwaited, kHandedOff, kTakesTurns, kOnlyCreates };

  Contender(Run& run, zhandle_t* handle, std::string lock, Kind kind)
      : run_(run), handle_(handle), lock_(std::move(lock)), prefix_(lock_ + kPrefix), kind_(kind) {}

  void begin() {
    run_.begins();
    next_cycle();
  }

 private:
  static Contender& self(const void* data) {
    return *static_cast<Contender*>(const_cast<void*>(data));
  }

  void next_cycle() {
    if (!std::exchange(first_, false) && run_.is_over()) return run_.ended();
    began_ = Clock::now();
    const int rc = zoo_acreate2(handle_, prefix_.c_str(), nullptr, -1, &ZOO_OPEN_ACL_UNSAFE,
                                ZOO_EPHEMERAL_SEQUENTIAL, &Contender::on_created, this);
    if (!run_.check(rc)) return run_.ended();
    if (kind_ != Kind::kOnlyCreates) list();
  }

  void list() {
    const int rc = zoo_aget_children2(handle_, lock_.c_str(), 0, &Contender::on_listed, this);
    if (!run_.check(rc)) run_.ended();
  }

  static void on_created(int rc, const char* path, const Stat*, const void* data) {
    Contender& me = self(data);
    if (me.run_.check(rc)) me.ours_ = path;
    if (me.kind_ != Kind::kOnlyCreates) return;
    me.run_.cycle_took(Clock::now() - me.began_);
    if (rc != ZOK) return me.run_.ended();
    me.remove(&Contender::on_removed);
  }

  static void on_listed(int rc, const String_vector* names, const Stat*, const void* data) {
    Contender& me = self(data);
    if (!me.run_.check(rc)) return me.run_.ended();
    if (me.kind_ != Kind::kTakesTurns) return me.granted();
    const std::string front = me.nearest_in_front(*names);
    if (front.empty()) return me.granted();
    const int sent = zoo_awget(me.handle_, (me.lock_ + "/" + front).c_str(), &Contender::on_event,
                               &me, &Contender::on_watching, &me);
    if (!me.run_.check(sent)) me.run_.ended();
  }

  static void on_watching(int rc, const char*, int, const Stat*, const void* data) {
    Contender& me = self(data);
    if (rc == ZNONODE) return me.list();
    if (!me.run_.check(rc)) me.run_.ended();
  }

  static void on_event(zhandle_t*, int type, int, const char*, void* data) {
    Contender& me = self(data);
    if (type == ZOO_SESSION_EVENT) {
      static_cast<void>(me.run_.check(ZCONNECTIONLOSS));
    } else {
      me.list();
    }
  }

  static std::string_view number_of(std::string_view name) {
    return name.substr(name.size() - kDigits);
  }

  // Names differ only in their numbers.
  [[nodiscard]] std::string nearest_in_front(const String_vector& names) const {
    const std::string_view own = number_of(ours_);
    std::string_view nearest;
    for (int i = 0; i < names.count; ++i) {
      const std::string_view name = names.data[i];
      if (name == CClientFloor::kKeeper) continue;
      const bool in_front = number_of(name) < own;
      if (in_front && (nearest.empty() || number_of(nearest) < number_of(name))) nearest = name;
    }
    return std::string(nearest);
  }

  void granted() {
    if (kind_ == Kind::kTakesTurns) {
      run_.enter(std::stoll(std::string(number_of(ours_))));
      std::this_thread::yield();  // To a contender that should not hold.
      run_.leave();
    }
    if (kind_ != Kind::kHandedOff) return remove(&Contender::on_removed);
    run_.cycle_took(Clock::now() - began_);
    run_.begins();
    remove(&Contender::on_removed_after_handoff);
    next_cycle();
  }

  void remove(void_completion_t then) {
    const int rc = zoo_adelete(handle_, ours_.c_str(), -1, then, this);
    if (!run_.check(rc)) run_.ended();
  }

  static void on_removed(int rc, const void* data) {
    Contender& me = self(data);
    if (!me.run_.check(rc)) return me.run_.ended();
    if (me.kind_ != Kind::kOnlyCreates) me.run_.cycle_took(Clock::now() - me.began_);
    me.next_cycle();
  }

  static void on_removed_after_handoff(int rc, const void* data) {
    Contender& me = self(data);
    static_cast<void>(me.run_.check(rc));
    me.run_.ended();
  }

  Run& run_;
  zhandle_t* handle_;
  const std::string lock_;
  const std::string prefix_;
  const Kind kind_;
  bool first_ = true;  // Every contender runs at least one cycle.
  std::string ours_;
  Clock::time_point began_;
};

}  // namespace

// A connected session.
class CClientFloor::Handle {
 public:
  explicit Handle(const std::string& servers) {
    // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): it has no name for silence.
    zoo_set_debug_level(static_cast<ZooLogLevel>(0));
    handle_ =
        zookeeper_init(servers.c_str(), &Handle::on_event, kSessionTimeoutMs, nullptr, this, 0);
    if (!handle_) throw std::runtime_error("the C client alone: no session on " + servers);
    zoo_set_servers_resolution_delay(handle_, -1);
    std::unique_lock lock(mutex_);
    const bool connected = changed_.wait_for(lock, kConnectLimit, [this] { return connected_; });
    lock.unlock();
    if (connected) return;
    zookeeper_close(handle_);
    throw std::runtime_error("the C client alone: no connection to " + servers);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { zookeeper_close(handle_); }

  [[nodiscard]] zhandle_t* get() const { return handle_; }

 private:
  static void on_event(zhandle_t*, int type, int state, const char*, void* context) {
    if (type != ZOO_SESSION_EVENT || state != ZOO_CONNECTED_STATE) return;
    Handle& me = *static_cast<Handle*>(context);
    const std::lock_guard lock(me.mutex_);
    me.connected_ = true;
    me.changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool connected_ = false;
  zhandle_t* handle_ = nullptr;
};

CClientFloor::CClientFloor(const std::string& servers, std::size_t sessions) {
  for (std::size_t i = 0; i < sessions; ++i) handles_.push_back(std::make_unique<Handle>(servers));
}

CClientFloor::~CClientFloor() = default;

// A run that does not end has failed: closing its sessions ends it. That also ends the watches and
// the replies that a contender of a failed run has not waited for.
template <class Running>
CClientFloor::Measured CClientFloor::finish(Running& run, const std::vector<std::string>& locks) {
  if (!run.wait() || run.has_failed()) handles_.clear();
  const Measured measured = run.measured();
  check_that_nothing_is_left(locks);
  return measured;
}

// The sync need not be awaited: later reads of its session show what it shows.
void CClientFloor::check_that_nothing_is_left(const std::vector<std::string>& locks) const {
  zhandle_t* const handle = handles_.front()->get();
  const auto answered = [](int, const char*, const void*) {};
  check(zoo_async(handle, locks.front().c_str(), answered, nullptr));
  for (const std::string& lock : locks) {
    String_vector names{};
    check(zoo_get_children(handle, lock.c_str(), 0, &names));
    const bool is_left = names.count > 1 || (names.count == 1 && names.data[0] != kKeeper);
    deallocate_String_vector(&names);
    if (is_left) throw std::runtime_error("the C client alone: a znode is left under " + lock);
  }
}

CClientFloor::Measured CClientFloor::alone(const std::vector<std::string>& locks, Release release,
                                           std::chrono::duration<double> time) {
  const auto kind =
      release == Release::kAwaited ? Contender::Kind::kAwaited : Contender::Kind::kHandedOff;
  Run run(time);
  std::deque<Contender> contenders;
  for (const std::string& lock : locks) {
    contenders.emplace_back(run, handles_.front()->get(), lock, kind);
  }
  for (Contender& contender : contenders) contender.begin();
  return finish(run, locks);
}

CClientFloor::Measured CClientFloor::creates(const std::string& lock,
                                             std::chrono::duration<double> time) {
  Run run(time);
  Contender contender(run, handles_.front()->get(), lock, Contender::Kind::kOnlyCreates);
  contender.begin();
  return finish(run, {lock});
}

CClientFloor::Measured CClientFloor::handoffs(const std::string& lock, std::size_t sessions,
                                              std::size_t contenders,
                                              std::chrono::duration<double> time) {
  Run run(time);
  std::deque<Contender> all;
  for (std::size_t i = 0; i < sessions * contenders; ++i) {
    all.emplace_back(run, handles_[i % sessions]->get(), lock, Contender::Kind::kTakesTurns);
  }
  for (Contender& contender : all) contender.begin();
  return finish(run, {lock});
}

}  // namespace lockstep::zookeeper
