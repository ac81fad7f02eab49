// Contends for locks on a real ensemble, and reports every event to the test that has started it:
// chaos_contender MODE SERVERS ROOT SESSION-TIMEOUT-MS SEED SESSIONS WORKERS FLAW, with the
// descriptors of chaos/wire.h.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "chaos/contender/coroutines.h"
#include "chaos/contender/threads.h"

namespace {

using namespace lockstep::chaos;

Settings read(char** words) {
  Settings settings;
  settings.servers = words[2];
  settings.root = words[3];
  settings.session_timeout = std::chrono::milliseconds(std::atoi(words[4]));
  settings.seed = std::strtoull(words[5], nullptr, 10);
  settings.sessions = std::atoi(words[6]);
  settings.workers = std::atoi(words[7]);
  for (std::size_t i = 0; i < kFlawNames.size(); ++i) {
    if (kFlawNames[i] == words[8]) settings.flaw = static_cast<Flaw>(i);
  }
  return settings;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 9) {
    std::fprintf(stderr, "usage: see chaos/contender/main.cc\n");
    return 2;
  }
  Process process(read(argv));
  if (process.has(Flaw::kWritesToStderr)) std::fprintf(stderr, "a line that is not asked for\n");
  const std::jthread commands([&] { process.control.obey(process.reporter); });
  if (std::string_view(argv[1]) == "threads") {
    contend_with_threads(process);
  } else {
    contend_with_coroutines(process);
  }
}
