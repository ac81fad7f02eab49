#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/fakezk/world.h"
#include "lockstep/intercept/execution.h"
#include "lockstep/intercept/host.h"
#include "lockstep/search/program.h"

namespace lockstep::threads {

// Which process of the world a thread belongs to: strategies and lanes treat all threads of one
// process as one client. A library's threads belong to the process that has started them.
enum class ThreadOwners : std::uint8_t {
  kThemselves,  // Each thread of the code under test is a process.
  kFirstOnes,   // Only those that the host has started are; the others belong to their creators.
};

// The simulated world as the host of intercepted threads.
class WorldHost final : public intercept::Host {
 public:
  WorldHost(fakezk::World& world, search::Verdict& verdict, ThreadOwners owners);
  ~WorldHost() override;

  // The execution in progress; null if there is none.
  [[nodiscard]] static WorldHost* current() { return current_; }

  // Handles a thread that ends its process (intercept::Host::process_ends).
  using ProcessEnds = std::function<bool(intercept::Thread& thread, int status)>;
  void set_process_ends(ProcessEnds ends) { process_ends_ = std::move(ends); }
  // Starts a thread, the first one of a new process. The body stays where it is.
  void run(const std::function<void()>& body);
  // A process has crashed: its threads end where they are, and it begins again with `body`.
  void begin_again(fakezk::Process& process, const std::function<void()>& body);
  [[nodiscard]] intercept::Execution& execution() { return *execution_; }
  [[nodiscard]] fakezk::World& world() { return world_; }
  [[nodiscard]] search::Verdict& verdict() { return verdict_; }
  // The process of the world that a thread belongs to.
  [[nodiscard]] static fakezk::Process& process_of(const intercept::Thread& thread);
  [[nodiscard]] std::string name_of(const intercept::Thread& thread) const;

  // A connection that this thread serves has got a session.
  void session_established(const intercept::Thread& thread, SessionId session);
  // The client of that session has asked the servers to close it.
  void session_closing(SessionId session);
  // The servers have told the client of that session that it is over.
  void session_end_received(SessionId session);
  // The sessions that connections of that process have had.
  [[nodiscard]] std::vector<SessionId> sessions_of(const fakezk::Process& process) const;
  // Whether that session has had only one connection, so that its client has no reason to doubt it.
  [[nodiscard]] bool has_kept_its_connection(SessionId session) const;
  // Whether the servers have ended a session that this thread may rely on, and the thread cannot
  // know: the client has neither closed its handle nor been told of the end, or has only just been
  // told. A thread may use every handle of its process, whichever thread has opened it; threads
  // that are processes of their own (ThreadOwners::kThemselves) share all handles.
  [[nodiscard]] bool cannot_know_of_a_loss(const intercept::Thread& thread) const;

  // The oracles that threads::Inside judges, and how often.
  [[nodiscard]] search::Judgements& judged() { return judged_; }
  using Insiders = std::vector<const intercept::Thread*>;
  // The threads inside a resource: several if all but one are excused.
  [[nodiscard]] Insiders& insiders_of(const std::string& resource) { return insiders_[resource]; }

  [[nodiscard]] std::chrono::nanoseconds now() const override;
  [[nodiscard]] std::uint32_t draw(std::uint32_t options) override;
  [[nodiscard]] std::string_view refuses_thread(bool by_library) const override;
  void started(intercept::Thread& thread) override;
  void ended(intercept::Thread& thread) override;
  void make_ready(intercept::Thread& thread, bool is_preempted) override;
  void start_timer(intercept::Thread& thread, std::chrono::nanoseconds due) override;
  void stop_timer(intercept::Thread& thread) override;
  Connecting connect(intercept::Thread& thread, const sockaddr_in& to) override;
  [[nodiscard]] in_addr address_of(const std::string& host) override;
  bool process_ends(intercept::Thread& thread, int status) override {
    return process_ends_ && process_ends_(thread, status);
  }
  void misused(intercept::Thread& thread, const std::string& text) override;
  void noted(intercept::Thread& thread, const std::string& text) override;
  // Whether a fault has struck that breaks connections.
  [[nodiscard]] bool breaks_connections() const;
  // From now on all servers can be reached.
  void heal() { healed_ = true; }

 private:
  class Hosted;
  struct OwnSession {
    std::uint32_t process;
    SessionId id;
    const intercept::Thread* served_by;  // It ends when the handle is closed.
    bool is_closing;
    // How often each thread had moved when the client was told of the end, by number.
    std::optional<std::vector<std::uint64_t>> moves_when_told;
  };
  [[nodiscard]] OwnSession* own_session(SessionId session);
  [[nodiscard]] bool excuses(const OwnSession& session, const intercept::Thread& thread) const;
  // Whether a new thread of the code under test is a process.
  [[nodiscard]] bool becomes_process(bool by_library) const;
  enum class Reached : std::uint8_t;
  [[nodiscard]] Reached draw_reached();

  static inline WorldHost* current_ = nullptr;

  fakezk::World& world_;
  search::Verdict& verdict_;
  ThreadOwners owners_;
  ProcessEnds process_ends_;
  std::vector<std::unique_ptr<Hosted>> hosted_;
  fakezk::Process* begins_again_ = nullptr;
  std::vector<std::pair<std::uint32_t, std::uint16_t>> servers_;  // By replica, as connected to.
  std::vector<OwnSession> own_sessions_;
  std::vector<SessionId> moved_;    // To another connection.
  std::vector<std::string> hosts_;  // Their names were asked for.
  search::Judgements judged_;
  std::map<std::string, Insiders> insiders_;
  std::uint32_t disturbed_connects_ = 0;
  bool healed_ = false;
  std::unique_ptr<intercept::Execution> execution_;
};

}  // namespace lockstep::threads
