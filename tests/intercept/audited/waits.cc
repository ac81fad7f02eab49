#include <mqueue.h>

#include <cstddef>

// An object that only imports: it waits in a call that no execution intercepts.

extern "C" [[gnu::used, gnu::visibility("hidden")]] ssize_t wait_for_a_message(mqd_t queue,
                                                                               char* into) {
  return mq_receive(queue, into, 1, nullptr);
}
