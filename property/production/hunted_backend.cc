#include "commands.h"
#include "on_zookeeper.h"

namespace lockstep::program {

lab::LockUnderTest on_zookeeper(const lab::LockUnderTest& lock) {
  return hunted::on_zookeeper(lock);
}

}  // namespace lockstep::program
