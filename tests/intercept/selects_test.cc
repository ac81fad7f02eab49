#include <errno.h>
#include <gtest/gtest.h>
#include <sys/select.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "linux_answers.h"

// The sets of select() are as long as the caller makes them. The same code runs on Linux.

namespace lockstep::intercept {
namespace {

// A set of as many words as the caller has allocated.
class Words {
 public:
  explicit Words(int count) : words_(static_cast<std::size_t>((count + NFDBITS - 1) / NFDBITS)) {}

  void add(int file) { words_[word(file)] |= bit(file); }
  [[nodiscard]] bool has(int file) const { return (words_[word(file)] & bit(file)) != 0; }
  [[nodiscard]] fd_set* get() { return reinterpret_cast<fd_set*>(words_.data()); }

 private:
  static std::size_t word(int file) { return static_cast<std::size_t>(file / NFDBITS); }
  static fd_mask bit(int file) {
    return static_cast<fd_mask>(1UL << static_cast<unsigned>(file % NFDBITS));
  }

  std::vector<fd_mask> words_;
};

// Returns the end of a pipe that has a byte, and its other end.
std::array<int, 2> readable_pipe() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  EXPECT_EQ(::write(ends[1], "a", 1), 1);
  return ends;
}

std::string answer_to(int count, Words& read) {
  timeval now{};
  return answer_of(::select(count, read.get(), nullptr, nullptr, &now));
}

TEST(LinuxTest, SelectLooksAtNoNumbersAboveTheTable) {
  expect_answers_of_linux([] {
    const std::array<int, 2> ends = readable_pipe();
    constexpr int kHigh = 800'000;
    Words read(kHigh + 1);
    read.add(ends[0]);
    read.add(kHigh);
    Answers answers = {answer_to(kHigh + 1, read), std::to_string(read.has(ends[0])),
                       std::to_string(read.has(kHigh))};
    for (const int file : ends) ::close(file);
    return answers;
  });
}

TEST(LinuxTest, SelectTouchesOnlyTheWordsBelowItsCount) {
  expect_answers_of_linux([] {
    const std::array<int, 2> ends = readable_pipe();
    const int begin_of_next = (ends[0] / NFDBITS + 1) * NFDBITS;
    Words read(begin_of_next + 1);
    for (const int file : {ends[0], begin_of_next - 1, begin_of_next}) read.add(file);
    Answers answers = {answer_to(ends[0] + 1, read), std::to_string(read.has(ends[0])),
                       std::to_string(read.has(begin_of_next - 1)),
                       std::to_string(read.has(begin_of_next))};
    for (const int file : ends) ::close(file);
    answers.push_back(answer_to(ends[0] + 1, read));
    return answers;
  });
}

}  // namespace
}  // namespace lockstep::intercept
