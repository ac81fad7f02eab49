#include "lockstep/operation.h"

#include "lockstep/session.h"
#include "lockstep/session_observer.h"

namespace lockstep::internal {

OperationBase::OperationBase(Session& session, Request&& request, Leaves leaves, Context&& context)
    : Wait(session.executor(), std::move(context)), session_(session), op_(request.op) {
  if (const std::optional<Error> over = already_over()) {
    reply_ = Reply(*over);
    finish();
    return;
  }
  if (leaves == Leaves::kWatch) {
    request.watch = new WatchState;
    watch_ = Watch(session.executor(), request.watch);
  }
  if (!session.chroot_.is_null()) session.put_into_chroot(request);
  if (session.observer()) session.observer()->requested(op_);
  session.submit(std::move(request), *this);
}

OperationBase::~OperationBase() {
  if (!done()) session_.abandon(*this);
}

void OperationBase::complete(Reply& reply) {
  reply_ = std::move(reply);
  if (!session_.chroot_.is_null()) session_.take_out_of_chroot(reply_);
  if (session_.observer()) session_.observer()->answered(op_, failed());
  finish();
}

void OperationBase::give_up(Error error) {
  session_.abandon(*this);
  reply_ = Reply(error);
}

}  // namespace lockstep::internal
