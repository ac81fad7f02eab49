// The consumer of every packaging test: it is enough that the headers are found and that the whole
// of the linked libraries resolves.
#include "lockstep/session.h"

int main() {}
