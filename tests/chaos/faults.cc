#include "chaos/faults.h"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

namespace lockstep::chaos {

namespace {

using std::chrono::milliseconds;
using support::TcpProxy;

constexpr int kPeriodMs = 5;

}  // namespace

Faults::Faults(std::uint64_t seed, Servers& servers, std::deque<Site>& sites, Collector& collector,
               std::function<void(Site&)> restart)
    : draw_(seed),
      servers_(servers),
      sites_(sites),
      collector_(collector),
      restart_(std::move(restart)) {}

void Faults::note(const std::string& what, int process) {
  Event event{.kind = Kind::kFault, .at = monotonic_now(), .lock = what, .process = process};
  collector_.add(std::move(event));
}

void Faults::begin(std::string what, milliseconds time, std::function<void()> undo) {
  ++struck_;
  note(what + ", for " + std::to_string(time.count()) + " ms");
  under_way_.push_back({std::move(what), std::chrono::steady_clock::now() + time, std::move(undo)});
}

void Faults::strike(milliseconds time) {
  const Instant end = std::chrono::steady_clock::now() + time;
  milliseconds shortest = sites_.front().session_timeout;
  for (const Site& site : sites_) shortest = std::min(shortest, site.session_timeout);
  const milliseconds longest_pause = shortest * 9 / 20;
  Instant next = std::chrono::steady_clock::now();
  for (Instant now = next; now < end; now = std::chrono::steady_clock::now()) {
    end_those_due(now);
    if (now >= next) {
      begin_one();
      next = now + draw_.between(longest_pause / 18, longest_pause);
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
  if (draw_.one_in(5)) return disturb_servers();
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
  // Usually cuts the site off from all servers.
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
  if (kind <= 3) return cut_off(site, duration_of_fault(draw_, site.session_timeout));
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
  if (!draw_.one_in(3)) return stop_process(site, duration_of_fault(draw_, site.session_timeout));
  ++struck_;
  note("process " + std::to_string(site.number) + ": killed");
  site.process->kill();
  Event killed{
      .kind = Kind::kKilled, .at = monotonic_now(), .process = site.number, .life = site.life};
  collector_.add(std::move(killed));
  restart_(site);
}

void Faults::disturb_servers() {
  std::optional<Servers::Fault> fault = servers_.disturb(draw_);
  if (!fault) return;
  if (fault->undo) return begin(std::move(fault->what), fault->time, std::move(fault->undo));
  ++struck_;
  note(fault->what);
}

void Faults::heal() {
  for (const Fault& fault : std::exchange(under_way_, {})) {
    note("healed: " + fault.what);
    fault.undo();
  }
  for (Site& site : sites_) {
    for (TcpProxy& way : site.ways) way.heal();
  }
  servers_.heal();
  note("all is healed");
}

}  // namespace lockstep::chaos
