#pragma once

#include "lockstep/lab/lock_under_test.h"

// The scenarios of the library's recipes: they cover as much of each recipe as a few clients can in
// few steps, under suitable oracles. The last contender gives up after a second.
namespace lockstep::scenarios {

lab::LockUnderTest fair_mutex();
// Clients alternate: one writes and goes on reading, one reads and goes on writing, one does all of
// that, one only writes.
lab::LockUnderTest read_write_lock();
// Two leases.
lab::LockUnderTest semaphore();
// One lease at first; its holder makes it two.
lab::LockUnderTest shared_semaphore();
// Two leases; of three clients, two want both at once.
lab::LockUnderTest semaphore_several();
// Every second client names the two locks in the opposite order.
lab::LockUnderTest multi_lock();
// A mutex, a side of a read/write lock and leases of a semaphore, named in different orders.
lab::LockUnderTest multi_lock_of_any_kind();
// Each owner enters twice.
lab::LockUnderTest recursive_mutex();
// Clients alternate: one writes, reads inside, and goes on reading; one reads, and writes inside if
// no other writer waits; one writes twice.
lab::LockUnderTest recursive_read_write_lock();
lab::LockUnderTest unfair_mutex();
// Three contenders in each client share a place for at most two consecutive grants.
lab::LockUnderTest cohort_mutex();
// Each client asks the holder to give up; every third holder ignores that until it is forced.
lab::LockUnderTest revocable_mutex();
// The same for readers and writers; a writer that was asked goes on as a reader.
lab::LockUnderTest revocable_read_write_lock();
// Every third client first looks who leads and who is next.
lab::LockUnderTest leader_election();
// Each candidate leads, resigns, and leads again; a lost term does not count.
lab::LockUnderTest leader_latch();
// All clients enter, and all leave.
lab::LockUnderTest double_barrier();

// Attempts that do not wait, beside contenders that do; every third one loses its grants on
// suspicion, and every third one when the servers say so.
lab::LockUnderTest fair_mutex_tried();
lab::LockUnderTest unfair_mutex_tried();
// Grants that can be revoked, and change as far as that is possible at once.
lab::LockUnderTest read_write_lock_tried();
lab::LockUnderTest semaphore_tried();
// The tasks of all contenders are destroyed, while they wait, change or hold.
lab::LockUnderTest semaphore_abandoned();
lab::LockUnderTest read_write_lock_abandoned();
// Each client has two owners, which read and write in opposite orders.
lab::LockUnderTest recursive_read_write_lock_of_two_owners();
// Two are enough for a round.
lab::LockUnderTest double_barrier_of_two();

// Here a client may meet a server that has not applied the client's own writes yet.
lab::LockUnderTest fair_mutex_on_three_servers();
lab::LockUnderTest unfair_mutex_on_three_servers();
lab::LockUnderTest read_write_lock_on_three_servers();

// Every second holder asks how long its session is proven, and relies on that. The session timeout
// is two ticks, the minimum.
lab::LockUnderTest fair_mutex_held_long();
lab::LockUnderTest fair_mutex_valid_until();

// The same as blocking code, on fibers.
lab::LockUnderTest blocking_fair_mutex();
// One client reads, another one writes.
lab::LockUnderTest blocking_read_write_lock();
lab::LockUnderTest blocking_semaphore();
lab::LockUnderTest blocking_semaphore_several();
lab::LockUnderTest blocking_multi_lock();
lab::LockUnderTest blocking_recursive_read_write_lock();
// Every second client's contenders are coroutines.
lab::LockUnderTest blocking_cohort_mutex();
lab::LockUnderTest blocking_leader_latch();
lab::LockUnderTest blocking_double_barrier();

}  // namespace lockstep::scenarios
