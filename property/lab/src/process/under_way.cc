#include "process/under_way.h"

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdint>
#include <utility>

#include "lockstep/lab/last_words.h"
#include "lockstep/search/searched_execution.h"
#include "process/ends.h"
#include "process/spoken.h"
#include "process/thread_id.h"

namespace lockstep::lab {

namespace {

// Initial-exec, so that the first use on a thread does not allocate: it may happen in a signal
// handler, in the middle of the allocator.
[[gnu::tls_model("initial-exec")]] constinit thread_local UnderWay under_way;

constinit std::atomic<int> began_last = 0;
constinit std::atomic<bool> spoken = false;
constinit int ends_file = -1;

// Writes without allocating: the crash may be inside the allocator.
class Writer {
 public:
  Writer& operator<<(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
      if (written <= 0) break;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return *this;
  }
  Writer& operator<<(std::uint32_t number) { return *this << std::uint64_t{number}; }
  Writer& operator<<(std::uint64_t number) {
    char digits[20];
    const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }
};

// Two threads may crash at once. The first one prints, and usually ends the process.
void wait_for_who_speaks() noexcept {
  if (!spoken.exchange(true)) return;
  const timespec second{.tv_sec = 1, .tv_nsec = 0};
  ::nanosleep(&second, nullptr);
}

// Notifies the explaining process, and waits until it has explained the end. The wait is bounded:
// that process may also hang in the code under test.
void explain(const Explainer& explainer, const EndReport& end) noexcept {
  constexpr int kLongestMs = 60'000;
  ::pollfd told{.fd = explainer.tell, .events = POLLOUT, .revents = 0};
  ::poll(&told, 1, 0);
  if ((told.revents & POLLERR) != 0) return;  // Without a reader, SIGPIPE would hide the real end.
  if (!write_end(explainer.tell, end)) return;
  ::pollfd closed{.fd = explainer.await, .events = POLLIN, .revents = 0};
  ::poll(&closed, 1, kLongestMs);
}

}  // namespace

UnderWay exchange_under_way(UnderWay now) noexcept {
  // Written only if it changes, because all workers of a hunt share this variable.
  const int thread = own_thread_id();
  if (began_last.load(std::memory_order_relaxed) != thread) {
    began_last.store(thread, std::memory_order_relaxed);
  }
  return std::exchange(under_way, now);
}

std::array<std::span<const std::byte>, 2> last_words_memory() noexcept {
  return {std::as_bytes(std::span(&under_way, 1)),
          std::as_bytes(std::span(&search::searched_execution(), 1))};
}

bool last_words_begun() noexcept { return spoken; }

int last_to_begin() noexcept { return began_last.load(std::memory_order_relaxed); }

bool say_last_words(std::string_view who, std::string_view what) noexcept {
  // A crash from here on must not enter this function again.
  const UnderWay last = std::exchange(under_way, UnderWay());
  if (!last.world) return false;
  const std::uint64_t execution =
      last.is_searched ? search::searched_execution() : search::kNoExecution;
  const EndReport end{who, what, last.world->steps(), execution, last.world->deviations()};
  if (ends_file >= 0) {
    write_end(ends_file, end);
    ::_exit(0);
  }
  wait_for_who_speaks();
  Writer writer;
  writer << "lockstep: " << who << " has " << what << " in step " << last.world->steps();
  if (execution != search::kNoExecution) writer << " of execution " << execution;
  writer << ". Replay it:\n  " << std::string_view(last.replay);
  bool first = true;
  for (const fakezk::Deviation& deviation : last.world->deviations()) {
    writer << (first ? "" : ",") << deviation.position << (deviation.choice.fault ? ".F" : ".")
           << deviation.choice.index;
    first = false;
  }
  writer << (first ? "calm/unknown\n" : "/unknown\n");
  if (last.explainer) explain(*last.explainer, end);
  return true;
}

void report_ends_to(int file) noexcept { ends_file = file; }

bool is_trial() noexcept { return ends_file >= 0; }

}  // namespace lockstep::lab
