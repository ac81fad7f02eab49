#include "chaos/faults.h"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>
#include <utility>

namespace lockstep::chaos {

namespace {

using std::chrono::milliseconds;
using support::TcpProxy;
using support::ZookeeperEnsemble;

constexpr int kPeriodMs = 5;
constexpr milliseconds kLongestStop(9000);

}  // namespace

Faults::Faults(std::uint64_t seed, ZookeeperEnsemble& ensemble, std::deque<Site>& sites,
               Collector& collector, std::function<void(Site&)> restart)
    : draw_(seed),
      ensemble_(ensemble),
      sites_(sites),
      collector_(collector),
      restart_(std::move(restart)) {}

void Faults::note(const std::string& what, int process) {
  Event event;
  event.kind = Kind::kFault;
  event.at = monotonic_now();
  event.lock = what;
  event.process = process;
  collector_.add(std::move(event));
}

void Faults::begin(std::string what, milliseconds time, std::function<void()> undo) {
  ++struck_;
  note(what + ", for " + std::to_string(time.count()) + " ms");
  under_way_.push_back({std::move(what), std::chrono::steady_clock::now() + time, std::move(undo)});
}

// A third of the faults that last outlive the session.
milliseconds Faults::duration(milliseconds session_timeout) {
  const std::uint64_t kind = draw_.below(6);
  if (kind <= 1) return draw_.between(milliseconds(20), milliseconds(400));
  if (kind <= 3) return draw_.between(milliseconds(400), session_timeout);
  return draw_.between(session_timeout, session_timeout * 9 / 5);
}

void Faults::strike(milliseconds time) {
  const Instant end = std::chrono::steady_clock::now() + time;
  Instant next = std::chrono::steady_clock::now();
  for (Instant now = next; now < end; now = std::chrono::steady_clock::now()) {
    end_those_due(now);
    if (now >= next) {
      begin_one();
      next = now + draw_.between(milliseconds(50), milliseconds(900));
    }
    poll(nullptr, 0, kPeriodMs);
  }
}

void Faults::end_those_due(Instant now) {
  std::vector<Fault> due;
  std::erase_if(under_way_, [&](const Fault& fault) {
    if (fault.end > now) return false;
    due.push_back(fault);
    return true;
  });
  for (const Fault& fault : due) {
    note("end of: " + fault.what);
    fault.undo();
  }
}

void Faults::begin_one() {
  if (draw_.one_in(5)) return disturb_server();
  Site& site = sites_[draw_.below(sites_.size())];
  if (site.disturbed) return;
  if (draw_.one_in(4)) return disturb_process(site);
  disturb_network(site);
}

void Faults::cut_off(Site& site, milliseconds time) {
  struct Way {
    const char* what;
    void (TcpProxy::*begin)();
  };
  static constexpr Way kWays[] = {{"partition", &TcpProxy::stall},
                                  {"partition of what it sends", &TcpProxy::hold_requests},
                                  {"partition of what it hears", &TcpProxy::hold_replies},
                                  {"refused connections", &TcpProxy::refuse}};
  const Way& way = kWays[draw_.below(std::size(kWays))];
  // From all servers, as a rule.
  const std::size_t spared = draw_.below(3 * site.ways.size());
  for (std::size_t i = 0; i < site.ways.size(); ++i) {
    if (i != spared) (site.ways[i].*way.begin)();
  }
  site.disturbed = true;
  begin("process " + std::to_string(site.number) + ": " + way.what, time, [&site] {
    for (TcpProxy& proxy : site.ways) proxy.heal();
    site.disturbed = false;
  });
}

void Faults::disturb_network(Site& site) {
  const std::uint64_t kind = draw_.below(8);
  if (kind <= 3) return cut_off(site, duration(site.session_timeout));
  struct Blow {
    const char* what;
    void (TcpProxy::*strike)();
  };
  static constexpr Blow kBlows[] = {{"cut", &TcpProxy::cut},
                                    {"reset", &TcpProxy::reset},
                                    {"lost request", &TcpProxy::cut_at_next_request},
                                    {"lost reply", &TcpProxy::cut_at_next_reply}};
  const Blow& blow = kBlows[kind - 4];
  ++struck_;
  note("process " + std::to_string(site.number) + ": " + blow.what);
  for (TcpProxy& proxy : site.ways) (proxy.*blow.strike)();
}

void Faults::stop_process(Site& site, milliseconds time) {
  site.process->signal(SIGSTOP);
  site.disturbed = true;
  const std::int64_t since = monotonic_now();
  begin("process " + std::to_string(site.number) + ": stopped", time, [this, &site, since] {
    site.process->signal(SIGCONT);
    site.disturbed = false;
    Event stall;
    stall.kind = Kind::kStalled;
    stall.process = site.number;
    stall.life = site.life;
    stall.at = monotonic_now();
    stall.detail = stall.at - since;
    collector_.add(std::move(stall));
  });
}

void Faults::disturb_process(Site& site) {
  if (!draw_.one_in(3)) return stop_process(site, duration(site.session_timeout));
  ++struck_;
  note("process " + std::to_string(site.number) + ": killed");
  site.process->kill();
  Event killed;
  killed.kind = Kind::kKilled;
  killed.process = site.number;
  killed.life = site.life;
  killed.at = monotonic_now();
  collector_.add(std::move(killed));
  restart_(site);
}

// The leader as often as the others together.
std::size_t Faults::choose_server() {
  if (draw_.one_in(2)) {
    for (std::size_t i = 0; i < ZookeeperEnsemble::kServers; ++i) {
      if (!disturbed_[i] && ensemble_.server(i).mode() == "leader") return i;
    }
  }
  return draw_.below(ZookeeperEnsemble::kServers);
}

void Faults::disturb_server() {
  // Without a quorum nothing happens: only now and then.
  const auto already = std::ranges::count(disturbed_, true);
  if (already > 1 || (already == 1 && !draw_.one_in(6))) return;
  const std::size_t number = choose_server();
  if (disturbed_[number]) return;
  const bool kills = draw_.one_in(2);
  const milliseconds time = std::min(2 * duration(milliseconds(2500)), kLongestStop);
  support::ServerProcess& server = ensemble_.server(number);
  const std::string role = server.mode();
  disturbed_[number] = true;
  if (kills) {
    server.stop();
  } else {
    server.signal(SIGSTOP);
  }
  begin("server " + std::to_string(number) + ", " + role + ": " + (kills ? "killed" : "stopped"),
        time, [this, &server, number, kills] {
          if (kills) {
            server.start();
          } else {
            server.signal(SIGCONT);
          }
          disturbed_[number] = false;
        });
}

void Faults::heal() {
  for (const Fault& fault : std::exchange(under_way_, {})) {
    note("healed: " + fault.what);
    fault.undo();
  }
  for (Site& site : sites_) {
    for (TcpProxy& way : site.ways) way.heal();
  }
  // Each attempt gives a slow machine half a minute for each server, and starts those again that
  // have ended: another program may have taken a port meanwhile.
  constexpr int kAttempts = 6;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (ensemble_.wait_until_ready()) return note("all is healed");
    for (std::size_t i = 0; i < ZookeeperEnsemble::kServers; ++i) {
      if (!ensemble_.server(i).started()) ensemble_.server(i).start();
    }
  }
  throw std::runtime_error("a server does not come back; its log:\n" + ensemble_.server(0).log());
}

}  // namespace lockstep::chaos
