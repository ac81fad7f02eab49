#pragma once

#include <cstdint>
#include <optional>

#include "lockstep/contact_proof.h"
#include "lockstep/executor.h"
#include "lockstep/operation.h"

namespace lockstep {

class Session;

// How certain a client can be, by its own clock, that the server considers the session alive.
enum class Contact : std::uint8_t {
  kSure,    // The default if the backend reports no contact, and until a holder keeps it.
  kFading,  // The proof ends within a quarter of the session timeout.
  kOver,    // The proof has ended.
};

namespace internal {

// Keeps the proof of a session's contact fresh as long as there is a holder that needs it, and
// notifies the session's listeners when the proof fades, ends and is back. It uses one timer per
// session and, in every sixth of the session timeout without another request that the leader
// orders, one sync, whatever the number of holders.
class KeptContact final : public Timer, private Completion {
 public:
  explicit KeptContact(Session& session) : session_(session) { background = true; }
  ~KeptContact() override;

  [[nodiscard]] const ContactProof& proof() const { return proof_; }
  // The state that listeners were notified of last.
  [[nodiscard]] Contact contact() const { return told_; }
  // Whether the proof has ended, even if listeners have not been notified yet. Requires keep().
  [[nodiscard]] bool is_over() const;

  // Called by the backend: see Session.
  void opened(TimePoint sent, Duration session_timeout);
  void answered(TimePoint sent, bool ordered) {
    if (!ordered) return;
    proof_.answered(sent);
    if (told_ != Contact::kSure) [[unlikely]] {
      tell();
    }
  }
  void keep_always() { always_ = true; }
  void session_changed();

  // Called by users of the proof: one release() for each keep().
  void keep();
  void release();

 private:
  void run() override;
  void complete(Reply& reply) override;

  [[nodiscard]] bool kept() const { return always_ || keepers_ > 0; }
  [[nodiscard]] TimePoint end() const { return *proof_.valid_until(); }
  [[nodiscard]] Contact judge() const;
  void begin();
  void imply();
  void tell();
  void renew();
  void restart();
  void stop();
  [[nodiscard]] std::optional<TimePoint> next_sync() const;
  [[nodiscard]] std::optional<TimePoint> next_change() const;

  Session& session_;
  ContactProof proof_;
  TimePoint synced_{};  // The sending time of our last sync.
  std::uint32_t keepers_ = 0;
  Contact told_ = Contact::kSure;
  bool always_ = false;
  bool syncing_ = false;
};

}  // namespace internal
}  // namespace lockstep
