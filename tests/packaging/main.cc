// The consumer in every packaging test: the compiler must find its headers, and all symbols of the
// linked libraries must resolve.
#include "lockstep/session.h"

int main() {}
