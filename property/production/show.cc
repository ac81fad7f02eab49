#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iostream>
#include <memory>
#include <sstream>

#include "commands.h"
#include "lock_view.h"
#include "lockstep/revocation.h"
#include "lockstep/zookeeper/contender_data.h"
#include "program/text.h"
#include "program/usage.h"
#include "visit.h"

namespace lockstep::program {

namespace {

using zookeeper::ContenderDescription;
using Json = nlohmann::ordered_json;

constexpr const char* kShowFooter =
    "`since` is when the contender has joined the queue, by the servers' clock, in UTC. Host and\n"
    "pid are known of contenders whose data begins as that of `lockstep lock` does; data longer\n"
    "than 200 bytes is cut, but not with --json. Locks of Curator and of kazoo are shown too.\n"
    "`token`, with --json, is the fencing token in epoch 0: those of clients with another\n"
    "Options::fencing_epoch begin with it.\n"
    "\n"
    "Exit status: 0 success; 2 bad input, or a path that is no lock; 75 no server answers in "
    "time;\n"
    "70 an error of this program, 74 a result cannot be written.\n";

// Every znode but the root was created by some transaction.
bool is_known(const QueueEntry& entry) { return entry.stat.czxid != 0; }

std::string session_of(const QueueEntry& entry) {
  std::ostringstream text;
  text << "0x" << std::hex << entry.stat.ephemeral_owner;
  return text.str();
}

std::string_view name(Share share) { return share == Share::kShared ? "shared" : "exclusive"; }

// Replaces bytes that a terminal might not show, and cuts long data: other clients may write a
// megabyte.
std::string printable(std::string_view data) {
  constexpr std::size_t kMostShown = 200;
  std::string text(data.substr(0, kMostShown));
  std::ranges::replace_if(text, [](char byte) { return byte < ' ' || byte > '~'; }, '?');
  return data.size() > kMostShown ? text + "..." : text;
}

Json null_if_empty(std::string_view text) { return text.empty() ? Json() : Json(text); }

Json number_or_null(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? Json(number) : Json();
}

Json as_json(const QueueEntry& entry) {
  const ContenderDescription data(entry.data.view());
  const bool known = is_known(entry);
  return {{"znode", entry.znode.view()},
          {"share", name(entry.contender.share)},
          {"session", known ? Json(session_of(entry)) : Json()},
          {"since", known ? Json(zookeeper::utc(entry.stat.ctime_ms)) : Json()},
          {"token", known ? Json(entry.stat.czxid) : Json()},
          {"host", null_if_empty(data.host)},
          {"pid", number_or_null(data.pid)},
          {"data", entry.data.is_null() ? Json() : Json(entry.data.view())},
          {"revocation_asked", entry.data.view() == kRevokeRequest}};
}

Json as_json(const std::vector<QueueEntry>& entries) {
  Json array = Json::array();
  for (const QueueEntry& entry : entries) array.push_back(as_json(entry));
  return array;
}

std::string owner_of(const QueueEntry& entry) {
  const ContenderDescription data(entry.data.view());
  if (entry.data.view() == kRevokeRequest) return "(asked to release)";
  if (data.host.empty()) return printable(entry.data.view());
  std::string text = "host " + printable(data.host) + ", pid " + printable(data.pid);
  if (!data.text.empty()) text += ": " + printable(data.text);
  return text;
}

void print_line(std::string_view does, const QueueEntry& entry) {
  std::string line = "  " + std::string(does);
  if (is_known(entry)) {
    line += " since " + zookeeper::utc(entry.stat.ctime_ms) + "  session " + session_of(entry);
  } else {
    line += ", by a session that its ACL hides";
  }
  if (entry.contender.share == Share::kShared) line += "  shared";
  std::cout << line << "  " << owner_of(entry) << '\n';
}

void print(const std::string& path, const LockView& view) {
  if (view.holders.empty() && view.waiters.empty()) {
    std::cout << path << ": free\n";
    return;
  }
  std::cout << path << ": held by " << view.holders.size() << ", " << view.waiters.size()
            << (view.waiters.size() == 1 ? " waits\n" : " wait\n");
  for (const QueueEntry& holder : view.holders) print_line("holds", holder);
  for (const QueueEntry& waiter : view.waiters) print_line("waits", waiter);
}

Task<Result<void>> look(Session& session, Path lock, LockView& view, Context context) {
  view = co_await ok(look_at(session, std::move(lock), std::move(context)));
  co_return Result<void>();
}

int run_show(const VisitSettings& settings) {
  LockView view;
  const int status = visit(settings, [&](Session& session, Context context) {
    return look(session, settings.path, view, std::move(context));
  });
  if (status != kOk) return status;
  if (view.kind == LockView::Kind::kNoLock) {
    throw UsageError(settings.path + ": is no lock: none of its children is a contender");
  }
  if (settings.json) {
    print_json({{"lock", settings.path},
                {"kind", name(view.kind)},
                {"holders", as_json(view.holders)},
                {"waiters", as_json(view.waiters)}});
  } else {
    print(settings.path, view);
  }
  return kOk;
}

}  // namespace

void add_show(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("show", "Shows who holds a lock of a real ensemble, and who waits");
  command->footer(kShowFooter);
  const auto settings = std::make_shared<VisitSettings>();
  add_visit_options(*command, *settings);
  command->add_flag("--json", settings->json, "Print one JSON object");
  command->callback([&line, settings] { line.run = [settings] { return run_show(*settings); }; });
}

}  // namespace lockstep::program
