#pragma once

#include <sys/types.h>

#include <functional>

#include "process/ends.h"
#include "process/under_way.h"

namespace lockstep::lab {

// A helper process, forked before code under test can do any harm. If that code ends this process,
// this process notifies the helper, which calls `explain`, and waits until that is done. Otherwise
// the helper ends with this object.
//
// The helper has copies of all memory as of the constructor, but only this thread.
class ExplainerProcess {
 public:
  explicit ExplainerProcess(const std::function<void(const End&)>& explain);
  ExplainerProcess(const ExplainerProcess&) = delete;
  ExplainerProcess& operator=(const ExplainerProcess&) = delete;
  ~ExplainerProcess();

  // For LastWordsOf; null if no process could be forked.
  [[nodiscard]] const Explainer* explainer() const { return process_ > 0 ? &explainer_ : nullptr; }

 private:
  Explainer explainer_;
  ::pid_t process_ = -1;
};

}  // namespace lockstep::lab
