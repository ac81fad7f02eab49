#pragma once

#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

namespace lockstep::chaos {

// A contender process and the driver exchange one line of text in each datagram of a SOCK_SEQPACKET
// pair, which is this descriptor in the contender. Commands are single characters on its standard
// input; its end ends the contender at once.
inline constexpr int kLink = 3;

enum class Command : char {
  kPause = 'p',  // Begin no acquire; say kPaused once none is under way and nothing is held.
  kResume = 'r',
  kQuit = 'q',  // Like pause; then close the sessions and exit.
  kTell = 't',  // Say what each worker does now.
};

enum class Kind : char {
  kBegan = 'B',  // LockObserver::acquire_begins, and so on.
  kEnded = 'N',
  kPlace = 'P',
  kGranted = 'G',
  kLost = 'L',
  kReleased = 'R',  // detail: the ReleaseOutcome.
  kGaveUp = 'U',    // detail: the Error.
  kDropped = 'D',
  kEntered = 'E',  // The worker uses the lock from here on,
  kLeft = 'X',     // and no longer: it has been told of the loss, or is about to release.
  kWrite = 'W',    // To the resource of this lock; the only event that is answered (kAccepted).
  kServed = 'S',   // The worker has had its lock.
  kDoes = 'O',     // `lock` says what the worker does.
  kStalled = 'T',  // The executor did not run for `detail` nanoseconds before `at`.
  kPaused = 'Z',   // token: acquires that never ended; detail: bytes in use; created: descriptors.
  // From the driver only.
  kKilled = 'K',  // The process is no more.
  kFault = 'F',   // `lock` says which.
};

inline constexpr char kAccepted = '+';
inline constexpr char kRefused = '-';

// One thing that happened in a contender.
struct Event {
  Kind kind{};
  std::int64_t at = 0;  // CLOCK_MONOTONIC, which all processes of a machine share; nanoseconds.
  int worker = -1;
  std::int64_t session = 0;
  std::string lock;
  std::string znode;
  std::int64_t token = 0;
  std::int64_t created = 0;
  std::int64_t evidence = 0;
  std::string after;  // The znode on whose deletion since then the grant rests, if on any.
  bool shared = false;
  std::string continues;
  std::int64_t detail = 0;
  // Known to the driver only.
  int process = -1;
  int life = 0;  // How often this process has been started again.
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

// False if the line is not one of ours.
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

// The locks that are contended for, each below the run's own root.
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
// The one znode of the UnfairMutex, below its name.
inline constexpr std::string_view kUnfairZnode = "holder";

[[nodiscard]] constexpr LockKind lock_of_worker(int worker) {
  return kLockKinds[static_cast<std::size_t>(worker) % kLockKinds.size()];
}
[[nodiscard]] constexpr std::string_view name_of(LockKind kind) {
  return kLockNames[static_cast<std::size_t>(kind)];
}

// How a contender is broken, so that the check that must notice can be seen to notice.
enum class Flaw : std::uint8_t {
  kNone,
  kDoesNotWait,       // Takes itself for the holder even if others are in front.
  kIgnoresLoss,       // Goes on writing after it was told of the loss.
  kUsesAfterRelease,  // Goes on using the lock after it has given it back.
  kLeavesZnode,       // Leaves a contender's znode that no client waits for.
  kNeverReleases,
  kNeverEnds,     // One acquire never completes.
  kInventsToken,  // Writes with a token that was not granted.
  kWritesToStderr,
  kLeaks,           // Forgets memory.
  kTellsLossTwice,  // It tells one grant's loss twice.
  kTellsLossLate,   // After the release.
  kHidesEnds,       // Never says that a grant has ended by its release.
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
