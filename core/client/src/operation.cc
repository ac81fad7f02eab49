#include "lockstep/operation.h"

#include "lockstep/session.h"
#include "lockstep/session_observer.h"

namespace lockstep::internal {

void OperationBase::send(Request&& request) {
  if (may_be_over()) {
    if (const std::optional<Error> over = already_over()) {
      end_with(*over);
      return finish();
    }
  }
  if (!session_.chroot_.is_null()) [[unlikely]] {
    session_.put_into_chroot(request);
  }
  if (!session_.default_acl().says_nothing()) [[unlikely]] {
    session_.add_default_acl(request);
  }
  if (session_.observer()) [[unlikely]] {
    session_.observer()->requested(op_);
  }
  session_.submit(std::move(request), *this);
}

void OperationBase::abandon() noexcept { session_.abandon(*this); }

void OperationBase::complete(Reply& reply) {
  if (!session_.chroot_.is_null()) [[unlikely]] {
    session_.take_out_of_chroot(reply);
  }
  keep(reply);
  if (session_.observer()) [[unlikely]] {
    session_.observer()->answered(op_, failed());
  }
  finish();
}

void OperationBase::give_up(Error error) {
  abandon();
  end_with(error);
}

void OperationBase::end_with(Error error) {
  Reply none(error);
  keep(none);
}

}  // namespace lockstep::internal
