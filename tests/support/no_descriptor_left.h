#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <vector>

namespace lockstep::support {

// Leaves this process no descriptor for new files and sockets. Unlike NoFreeDescriptor it lets
// threads go on that wait in poll(), which refuses more descriptors than the limit.
class NoDescriptorLeft {
 public:
  NoDescriptorLeft() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int last = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, kMost - 1);
    rlimit lower = before_;
    lower.rlim_cur = kMost;
    setrlimit(RLIMIT_NOFILE, &lower);
    taken_.push_back(last);
    for (int next = 0; (next = dup(STDERR_FILENO)) != -1;) taken_.push_back(next);
  }
  NoDescriptorLeft(const NoDescriptorLeft&) = delete;
  NoDescriptorLeft& operator=(const NoDescriptorLeft&) = delete;
  ~NoDescriptorLeft() {
    for (const int taken : taken_) close(taken);
    setrlimit(RLIMIT_NOFILE, &before_);
  }

 private:
  static constexpr int kMost = 256;
  rlimit before_{};
  std::vector<int> taken_;
};

}  // namespace lockstep::support
