#pragma once

#include <cstdint>
#include <optional>

#include "lockstep/contact_proof.h"
#include "lockstep/executor.h"
#include "lockstep/operation.h"

namespace lockstep {

class Session;

// How sure a session's client can be, by its own clock, that the server has the session alive.
enum class Contact : std::uint8_t {
  kSure,    // Also if nobody wants to know, or the backend tells of no contact.
  kFading,  // The proof ends within a quarter of the session timeout.
  kOver,    // The proof has ended.
};

namespace internal {

// Keeps the proof of a session's contact fresh as long as somebody wants it, and tells the
// session's listeners when it fades, ends and is back. One timer and, every sixth of the session
// timeout in which the leader has ordered no other request, one sync per session, however many want
// it.
class KeptContact final : public Timer, private Completion {
 public:
  explicit KeptContact(Session& session) : session_(session) { background = true; }
  ~KeptContact();

  [[nodiscard]] const ContactProof& proof() const { return proof_; }
  // As listeners were told last.
  [[nodiscard]] Contact contact() const { return told_; }
  // The proof has ended, although nobody may have been told yet. For those who keep the contact.
  [[nodiscard]] bool is_over() const;

  // From the backend: see Session.
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

  // From those who want it, as often let go as kept.
  void keep();
  void let_go();

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
  TimePoint synced_{};  // When our last sync was sent.
  std::uint32_t keepers_ = 0;
  Contact told_ = Contact::kSure;
  bool always_ = false;
  bool syncing_ = false;
};

}  // namespace internal
}  // namespace lockstep
