// A library that another program loads and unloads. It counts when its static object goes.

int* destroyed = nullptr;

namespace {

struct Object {
  ~Object() {
    if (destroyed) ++*destroyed;
  }
} object;

}  // namespace
