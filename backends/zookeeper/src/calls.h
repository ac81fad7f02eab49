#pragma once

#include "lockstep/request.h"

struct _zhandle;

namespace lockstep::zookeeper {

// Hands a request, except a multi, to the C client, with a CallbackContext for the reply and one
// for all watches of the handle. Returns ZOK, or the error with which the C client refuses it;
// after an error no reply follows.
[[nodiscard]] int call(_zhandle* handle, const Request& request, void* watches, void* context);

// A text for the C client, ended by a NUL that its size does not count.
[[nodiscard]] inline const char* c_string(const Text& text) {
  return text.is_null() ? "" : text.view().data();
}
[[nodiscard]] inline const char* c_bytes(const Data& data) {
  return data.is_null() ? nullptr : data.view().data();
}
// The C client takes the size -1 for null data.
[[nodiscard]] inline int c_size(const Data& data) {
  return data.is_null() ? -1 : static_cast<int>(data.view().size());
}

}  // namespace lockstep::zookeeper
