#include "log_slot.h"

#include <pthread.h>

#include <array>
#include <mutex>
#include <utility>

namespace lockstep::zookeeper {

// Never destroyed: threads of the C client may outlive main().
class LogSlot::Table {
 public:
  static constexpr std::size_t kSlots = 256;

  static Table& instance() {
    static Table* const table = new Table;
    return *table;
  }

  // Above level 0 the C client formats addresses into one buffer of the whole process, whichever
  // handle logs (zookeeper.c, format_endpoint_info): with two sessions an address in a line may be
  // garbled.
  void count(int change) {
    const std::lock_guard lock(mutex_);
    listeners_ += change;
    // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): it has no name for silence.
    zoo_set_debug_level(listeners_ == 0 ? static_cast<ZooLogLevel>(0) : ZOO_LOG_LEVEL_INFO);
  }

  std::optional<std::size_t> take(LogSlot& slot) {
    for (std::size_t index = 0; index < kSlots; ++index) {
      // A locked slot is in use. In a forked child it may stay locked: a thread of the parent may
      // have been in the middle of a line.
      const std::unique_lock lock(slots_[index].mutex, std::try_to_lock);
      if (!lock || slots_[index].owner != nullptr) continue;
      slots_[index].owner = &slot;
      return index;
    }
    return std::nullopt;
  }

  void give_back(std::size_t index) {
    const std::lock_guard lock(slots_[index].mutex);
    slots_[index].owner = nullptr;
  }

  void write(std::size_t index, std::string_view line) {
    const std::lock_guard lock(slots_[index].mutex);
    if (LogSlot* const owner = slots_[index].owner) owner->sink_(line);
  }

  template <std::size_t kIndex>
  static void log(const char* line) noexcept {
    instance().write(kIndex, line);
  }

  static log_callback_fn callback(std::size_t index) {
    return callbacks(std::make_index_sequence<kSlots>())[index];
  }

 private:
  // As for HandleTable: a forked child counts its own sessions.
  Table() { pthread_atfork(&before_fork, &after_fork, &after_fork); }
  static void before_fork() { instance().mutex_.lock(); }
  static void after_fork() { instance().mutex_.unlock(); }

  struct Slot {
    std::mutex mutex;
    LogSlot* owner = nullptr;
  };

  template <std::size_t... kIndices>
  static const std::array<log_callback_fn, kSlots>& callbacks(std::index_sequence<kIndices...>) {
    static constexpr std::array<log_callback_fn, kSlots> kCallbacks{&log<kIndices>...};
    return kCallbacks;
  }

  std::mutex mutex_;
  int listeners_ = 0;
  std::array<Slot, kSlots> slots_;
};

namespace {

void ignore(const char*) noexcept {}

}  // namespace

LogSlot::LogSlot(LogSink sink) : sink_(std::move(sink)) {
  if (sink_) index_ = Table::instance().take(*this);
  Table::instance().count(sink_ ? 1 : 0);
}

LogSlot::~LogSlot() {
  if (!sink_) return;
  Table::instance().count(-1);
  if (index_) Table::instance().give_back(*index_);
}

log_callback_fn LogSlot::callback() const {
  return index_ ? Table::callback(*index_) : static_cast<log_callback_fn>(&ignore);
}

void LogSlot::write(std::string_view line) {
  if (!sink_) return;
  if (index_) {
    Table::instance().write(*index_, line);
  } else {
    sink_(line);
  }
}

}  // namespace lockstep::zookeeper
