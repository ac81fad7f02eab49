#include "differential/survey.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "differential/probe.h"

namespace lockstep::differential {

namespace {

constexpr OpCode kReads[] = {OpCode::kExists, OpCode::kGetData, OpCode::kGetAcl,
                             OpCode::kGetChildren};

void send_reads(Session& session, const Path& path, std::deque<Probe>& reads) {
  for (const OpCode op : kReads) reads.emplace_back(session, Request(op, path), false);
}

}  // namespace

// The requests about one level are in flight together.
Task<void> survey(Session& session, const Path& origin, Names& names, Transcript& transcript,
                  std::size_t lane) {
  std::vector<Path> level{origin};
  while (!level.empty()) {
    std::deque<Probe> reads;
    for (const Path& path : level) send_reads(session, path, reads);
    std::vector<Path> next;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      Probe& read = reads[i];
      Reply& reply = co_await read;
      const Path& path = level[i / std::size(kReads)];
      const OpCode op = kReads[i % std::size(kReads)];
      transcript.add(
          lane, names.path(path) + " " + std::string(name(op)) + " -> " + names.reply(op, reply));
      if (op == OpCode::kGetChildren && !reply.is_error()) {
        for (const std::string_view child : reply.children) next.push_back(path / child);
      }
    }
    std::ranges::sort(next, {}, &Path::view);
    level = std::move(next);
  }
}

}  // namespace lockstep::differential
