// The consumer of every packaging test: its headers have to be found, and all symbols of the linked
// libraries have to resolve.
#include "lockstep/session.h"

int main() {}
