#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "lockstep/internal/wait.h"
#include "lockstep/result.h"

namespace lockstep::scenarios {

class GateWait;

// A condition variable for tasks of one executor: closed until open(), which lets present and later
// waiters pass. It outlives the waits.
class Gate {
 public:
  explicit Gate(Executor& executor) : executor_(executor) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() = default;

  void open();
  void close() { open_ = false; }
  [[nodiscard]] bool is_open() const { return open_; }
  // Errors: kTimedOut, kCancelled. Resumes on the executor.
  [[nodiscard]] GateWait passed(Context context = {});

 private:
  friend class GateWait;
  Executor& executor_;
  bool open_ = false;
  std::vector<GateWait*> waiting_;
};

class [[nodiscard]] GateWait final : public internal::Wait {
 public:
  GateWait(Gate& gate, Context context) : Wait(gate.executor_, std::move(context)), gate_(gate) {
    if (const std::optional<Error> over = already_over()) {
      result_ = failure(*over);
      finish();
    } else if (gate_.open_) {
      finish();
    } else {
      gate_.waiting_.push_back(this);
    }
  }
  ~GateWait() override { leave(); }
  [[nodiscard]] Result<void> await_resume() const { return result_; }
  [[nodiscard]] std::optional<Error> failed() const override {
    if (result_) return std::nullopt;
    return result_.error();
  }
  [[nodiscard]] Error error() const { return result_.error(); }

 private:
  friend class Gate;
  void give_up(Error error) override {
    leave();
    result_ = failure(error);
  }
  void leave() { std::erase(gate_.waiting_, this); }

  Gate& gate_;
  Result<void> result_;
};

inline void Gate::open() {
  open_ = true;
  for (GateWait* const wait : std::exchange(waiting_, {})) wait->finish();
}

inline GateWait Gate::passed(Context context) { return {*this, std::move(context)}; }

}  // namespace lockstep::scenarios
