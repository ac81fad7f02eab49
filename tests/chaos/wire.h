#pragma once

#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

namespace lockstep::chaos {

// A contender process and the driver exchange one line of text in each datagram of a SOCK_SEQPACKET
// pair; this is its descriptor in the contender. Commands are single characters on the contender's
// standard input; its end ends the contender at once.
inline constexpr int kLink = 3;

enum class Command : char {
  kPause = 'p',  // Begin no acquire; report kPaused once none is in progress and nothing is held.
  kResume = 'r',
  kQuit = 'q',  // Pause, then close the sessions and exit.
  kTell = 't',  // Report what each worker does.
};

enum class Kind : char {
  kBegan = 'B',  // Kinds named after LockObserver: acquire_begins etc.
  kEnded = 'N',
  kPlace = 'P',
  kGranted = 'G',
  kLost = 'L',
  kReleased = 'R',  // detail: the ReleaseOutcome.
  kGaveUp = 'U',    // detail: the Error.
  kDropped = 'D',
  kEntered = 'E',  // The worker uses the lock from here on,
  kLeft = 'X',     // until here: it has been notified of the loss, or is about to release.
  kWrite = 'W',    // A write to this lock's resource, the only event with an answer (kAccepted).
  kServed = 'S',   // The worker has had its lock.
  kDoes = 'O',     // `lock` describes what the worker does.
  kStalled = 'T',  // The executor did not run for `detail` nanoseconds before `at`.
  kPaused = 'Z',   // token: acquires that never ended; detail: bytes in use; created: descriptors.
  // Only the driver adds these.
  kKilled = 'K',  // The process has ended.
  kFault = 'F',   // `lock` describes the fault.
};

inline constexpr char kAccepted = '+';
inline constexpr char kRefused = '-';

// One event of a contender.
struct Event {
  Kind kind{};
  std::int64_t at = 0;  // CLOCK_MONOTONIC in nanoseconds, which all processes of a machine share.
  int worker = -1;
  std::int64_t session = 0;
  std::string lock = {};
  std::string znode = {};
  std::int64_t token = 0;
  std::int64_t created = 0;
  std::int64_t evidence = 0;
  // The znode whose deletion is the grant's evidence, if it was taken over.
  std::string after = {};
  bool shared = false;
  std::string continues = {};
  std::int64_t detail = 0;
  // Set by the driver.
  int process = -1;
  int life = 0;  // How often this process has been restarted.
};

inline std::string text_of(const Event& event) {
  const auto word = [](const std::string& text) { return text.empty() ? "-" : text; };
  std::ostringstream line;
  line << static_cast<char>(event.kind) << ' ' << event.at << ' ' << event.worker << ' '
       << event.session << ' ' << word(event.lock) << ' ' << word(event.znode) << ' ' << event.token
       << ' ' << event.created << ' ' << event.evidence << ' ' << word(event.after) << ' '
       << event.shared << ' ' << word(event.continues) << ' ' << event.detail;
  return line.str();
}

// Returns false if the line is not an event.
[[nodiscard]] inline bool parse(const std::string& text, Event& event) {
  std::istringstream line(text);
  char kind = 0;
  line >> kind >> event.at >> event.worker >> event.session >> event.lock >> event.znode >>
      event.token >> event.created >> event.evidence >> event.after >> event.shared >>
      event.continues >> event.detail;
  event.kind = static_cast<Kind>(kind);
  for (std::string* word : {&event.lock, &event.znode, &event.after, &event.continues}) {
    if (*word == "-") word->clear();
  }
  return !line.fail();
}

// The kinds of locks under contention, all below the run's root.
enum class LockKind : std::uint8_t {
  kMutex,
  kReadWrite,
  kSemaphore,
  kRevocable,
  kElection,
  kUnfair,
};
inline constexpr std::array kLockKinds = {LockKind::kMutex,     LockKind::kReadWrite,
                                          LockKind::kSemaphore, LockKind::kRevocable,
                                          LockKind::kElection,  LockKind::kUnfair};
inline constexpr std::array<std::string_view, kLockKinds.size()> kLockNames = {
    "mutex", "read-write", "semaphore", "revocable", "election", "unfair"};
inline constexpr std::int32_t kLeases = 2;
// The znode of the UnfairMutex, below its name.
inline constexpr std::string_view kUnfairZnode = "holder";

[[nodiscard]] constexpr LockKind lock_of_worker(int worker) {
  return kLockKinds[static_cast<std::size_t>(worker) % kLockKinds.size()];
}
[[nodiscard]] constexpr std::string_view name_of(LockKind kind) {
  return kLockNames[static_cast<std::size_t>(kind)];
}

// The flaw of a contender, which proves that the check for it can fail.
enum class Flaw : std::uint8_t {
  kNone,
  kDoesNotWait,       // Considers itself the holder even if others are in front.
  kIgnoresLoss,       // Goes on writing after it was notified of the loss.
  kUsesAfterRelease,  // Goes on using the lock after releasing it.
  kLeavesZnode,       // Leaves a contender's znode that no client waits for.
  kNeverReleases,
  kNeverEnds,     // One acquire never completes.
  kInventsToken,  // Writes with a token that was not granted.
  kWritesToStderr,
  kLeaks,           // Leaks memory.
  kTellsLossTwice,  // Reports one grant's loss twice.
  kTellsLossLate,   // Reports a loss after the release.
  kHidesEnds,       // Never reports that a release has ended a grant.
};
inline constexpr std::array<std::string_view, 13> kFlawNames = {"none",
                                                                "does-not-wait",
                                                                "ignores-loss",
                                                                "uses-after-release",
                                                                "leaves-znode",
                                                                "never-releases",
                                                                "never-ends",
                                                                "invents-token",
                                                                "writes-to-stderr",
                                                                "leaks",
                                                                "tells-loss-twice",
                                                                "tells-loss-late",
                                                                "hides-ends"};

}  // namespace lockstep::chaos
