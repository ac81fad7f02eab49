#include "handled.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>

#include "fortified.h"

extern "C" {
void __pthread_register_cancel(__pthread_unwind_buf_t* buffer);
void __pthread_unregister_cancel(__pthread_unwind_buf_t* buffer);
void __pthread_unwind_next(__pthread_unwind_buf_t* buffer);
int ftime(struct timeb* time);
}
extern "C" int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object,
                                        void* module) noexcept;

// std::random_device::_M_getval(), a private function.
extern "C" void random_device_getval() __asm__("_ZNSt13random_device9_M_getvalEv");

namespace lockstep::intercept {

namespace linked {
extern const char attributes, barriers, c11_threads, chance, chance_files, cleanups, clocks, closes,
    conditions, duplicates, epolls, event_files, exits, fcntl, file_calls, fortified, futexes, keys,
    mutexes, names, once, pipes, polls, process_groups, process_ids, processors, refused, rwlocks,
    semaphores, signal_masks, signals, sleeps, socket_calls, socket_options, spinlocks,
    stream_locks, thread_atexit, threads, timer_files, transfers, vectors;
}  // namespace linked

#define LOCKSTEP_HANDLED(function) \
  Handled { #function, reinterpret_cast<const void*>(&::function) }

namespace {

const Handled kHandled[] = {
    {"_ZNSt13random_device9_M_getvalEv", reinterpret_cast<const void*>(&::random_device_getval)},
    LOCKSTEP_HANDLED(__cxa_thread_atexit_impl),
    LOCKSTEP_HANDLED(__dprintf_chk),
    LOCKSTEP_HANDLED(__gethostname_chk),
    LOCKSTEP_HANDLED(__open64_2),
    LOCKSTEP_HANDLED(__open_2),
    LOCKSTEP_HANDLED(__openat64_2),
    LOCKSTEP_HANDLED(__openat_2),
    LOCKSTEP_HANDLED(__poll_chk),
    LOCKSTEP_HANDLED(__ppoll_chk),
    LOCKSTEP_HANDLED(__pthread_register_cancel),
    LOCKSTEP_HANDLED(__pthread_unregister_cancel),
    LOCKSTEP_HANDLED(__pthread_unwind_next),
    LOCKSTEP_HANDLED(__read_chk),
    LOCKSTEP_HANDLED(__recv_chk),
    LOCKSTEP_HANDLED(__recvfrom_chk),
    LOCKSTEP_HANDLED(__sysv_signal),
    LOCKSTEP_HANDLED(__vdprintf_chk),
    LOCKSTEP_HANDLED(_Exit),
    LOCKSTEP_HANDLED(_Fork),
    LOCKSTEP_HANDLED(_exit),
    LOCKSTEP_HANDLED(accept),
    LOCKSTEP_HANDLED(accept4),
    LOCKSTEP_HANDLED(alarm),
    LOCKSTEP_HANDLED(arc4random),
    LOCKSTEP_HANDLED(arc4random_buf),
    LOCKSTEP_HANDLED(arc4random_uniform),
    LOCKSTEP_HANDLED(bind),
    LOCKSTEP_HANDLED(call_once),
    LOCKSTEP_HANDLED(clock),
    LOCKSTEP_HANDLED(clock_gettime),
    LOCKSTEP_HANDLED(clock_nanosleep),
    LOCKSTEP_HANDLED(close),
    LOCKSTEP_HANDLED(close_range),
    LOCKSTEP_HANDLED(closefrom),
    LOCKSTEP_HANDLED(cnd_broadcast),
    LOCKSTEP_HANDLED(cnd_destroy),
    LOCKSTEP_HANDLED(cnd_init),
    LOCKSTEP_HANDLED(cnd_signal),
    LOCKSTEP_HANDLED(cnd_timedwait),
    LOCKSTEP_HANDLED(cnd_wait),
    LOCKSTEP_HANDLED(connect),
    LOCKSTEP_HANDLED(daemon),
    LOCKSTEP_HANDLED(dprintf),
    LOCKSTEP_HANDLED(drand48),
    LOCKSTEP_HANDLED(dup),
    LOCKSTEP_HANDLED(dup2),
    LOCKSTEP_HANDLED(dup3),
    LOCKSTEP_HANDLED(epoll_create),
    LOCKSTEP_HANDLED(epoll_create1),
    LOCKSTEP_HANDLED(epoll_ctl),
    LOCKSTEP_HANDLED(epoll_pwait),
    LOCKSTEP_HANDLED(epoll_wait),
    LOCKSTEP_HANDLED(eventfd),
    LOCKSTEP_HANDLED(eventfd_read),
    LOCKSTEP_HANDLED(eventfd_write),
    LOCKSTEP_HANDLED(execl),
    LOCKSTEP_HANDLED(execle),
    LOCKSTEP_HANDLED(execlp),
    LOCKSTEP_HANDLED(execv),
    LOCKSTEP_HANDLED(execve),
    LOCKSTEP_HANDLED(execvp),
    LOCKSTEP_HANDLED(execvpe),
    LOCKSTEP_HANDLED(exit),
    LOCKSTEP_HANDLED(fcntl),
    LOCKSTEP_HANDLED(fcntl64),
    LOCKSTEP_HANDLED(fdopen),
    LOCKSTEP_HANDLED(fexecve),
    LOCKSTEP_HANDLED(flock),
    LOCKSTEP_HANDLED(flockfile),
    LOCKSTEP_HANDLED(fopen),
    LOCKSTEP_HANDLED(fopen64),
    LOCKSTEP_HANDLED(fork),
    LOCKSTEP_HANDLED(freeaddrinfo),
    LOCKSTEP_HANDLED(fstat),
    LOCKSTEP_HANDLED(fstat64),
    LOCKSTEP_HANDLED(ftime),
    LOCKSTEP_HANDLED(funlockfile),
    LOCKSTEP_HANDLED(get_nprocs),
    LOCKSTEP_HANDLED(get_nprocs_conf),
    LOCKSTEP_HANDLED(getaddrinfo),
    LOCKSTEP_HANDLED(getentropy),
    LOCKSTEP_HANDLED(gethostbyaddr),
    LOCKSTEP_HANDLED(gethostbyaddr_r),
    LOCKSTEP_HANDLED(gethostbyname),
    LOCKSTEP_HANDLED(gethostbyname2),
    LOCKSTEP_HANDLED(gethostbyname2_r),
    LOCKSTEP_HANDLED(gethostbyname_r),
    LOCKSTEP_HANDLED(gethostname),
    LOCKSTEP_HANDLED(getlogin),
    LOCKSTEP_HANDLED(getnameinfo),
    LOCKSTEP_HANDLED(getpeername),
    LOCKSTEP_HANDLED(getpgid),
    LOCKSTEP_HANDLED(getpgrp),
    LOCKSTEP_HANDLED(getpid),
    LOCKSTEP_HANDLED(getppid),
    LOCKSTEP_HANDLED(getpriority),
    LOCKSTEP_HANDLED(getpwuid_r),
    LOCKSTEP_HANDLED(getrandom),
    LOCKSTEP_HANDLED(getsid),
    LOCKSTEP_HANDLED(getsockname),
    LOCKSTEP_HANDLED(getsockopt),
    LOCKSTEP_HANDLED(gettid),
    LOCKSTEP_HANDLED(gettimeofday),
    LOCKSTEP_HANDLED(ioctl),
    LOCKSTEP_HANDLED(isatty),
    LOCKSTEP_HANDLED(kill),
    LOCKSTEP_HANDLED(killpg),
    LOCKSTEP_HANDLED(lcong48),
    LOCKSTEP_HANDLED(listen),
    LOCKSTEP_HANDLED(lockf),
    LOCKSTEP_HANDLED(lrand48),
    LOCKSTEP_HANDLED(lseek),
    LOCKSTEP_HANDLED(lseek64),
    LOCKSTEP_HANDLED(mrand48),
    LOCKSTEP_HANDLED(msgrcv),
    LOCKSTEP_HANDLED(msgsnd),
    LOCKSTEP_HANDLED(mtx_destroy),
    LOCKSTEP_HANDLED(mtx_init),
    LOCKSTEP_HANDLED(mtx_lock),
    LOCKSTEP_HANDLED(mtx_timedlock),
    LOCKSTEP_HANDLED(mtx_trylock),
    LOCKSTEP_HANDLED(mtx_unlock),
    LOCKSTEP_HANDLED(nanosleep),
    LOCKSTEP_HANDLED(open),
    LOCKSTEP_HANDLED(open64),
    LOCKSTEP_HANDLED(openat),
    LOCKSTEP_HANDLED(openat64),
    LOCKSTEP_HANDLED(pause),
    LOCKSTEP_HANDLED(pipe),
    LOCKSTEP_HANDLED(pipe2),
    LOCKSTEP_HANDLED(poll),
    LOCKSTEP_HANDLED(popen),
    LOCKSTEP_HANDLED(posix_spawn),
    LOCKSTEP_HANDLED(posix_spawnp),
    LOCKSTEP_HANDLED(ppoll),
    LOCKSTEP_HANDLED(preadv),
    LOCKSTEP_HANDLED(preadv2),
    LOCKSTEP_HANDLED(pselect),
    LOCKSTEP_HANDLED(pthread_barrier_destroy),
    LOCKSTEP_HANDLED(pthread_barrier_init),
    LOCKSTEP_HANDLED(pthread_barrier_wait),
    LOCKSTEP_HANDLED(pthread_cancel),
    LOCKSTEP_HANDLED(pthread_clockjoin_np),
    LOCKSTEP_HANDLED(pthread_cond_broadcast),
    LOCKSTEP_HANDLED(pthread_cond_clockwait),
    LOCKSTEP_HANDLED(pthread_cond_destroy),
    LOCKSTEP_HANDLED(pthread_cond_signal),
    LOCKSTEP_HANDLED(pthread_cond_timedwait),
    LOCKSTEP_HANDLED(pthread_cond_wait),
    LOCKSTEP_HANDLED(pthread_create),
    LOCKSTEP_HANDLED(pthread_detach),
    LOCKSTEP_HANDLED(pthread_exit),
    LOCKSTEP_HANDLED(pthread_getaffinity_np),
    LOCKSTEP_HANDLED(pthread_getattr_np),
    LOCKSTEP_HANDLED(pthread_getcpuclockid),
    LOCKSTEP_HANDLED(pthread_getname_np),
    LOCKSTEP_HANDLED(pthread_getschedparam),
    LOCKSTEP_HANDLED(pthread_getspecific),
    LOCKSTEP_HANDLED(pthread_join),
    LOCKSTEP_HANDLED(pthread_key_create),
    LOCKSTEP_HANDLED(pthread_key_delete),
    LOCKSTEP_HANDLED(pthread_kill),
    LOCKSTEP_HANDLED(pthread_mutex_clocklock),
    LOCKSTEP_HANDLED(pthread_mutex_destroy),
    LOCKSTEP_HANDLED(pthread_mutex_lock),
    LOCKSTEP_HANDLED(pthread_mutex_timedlock),
    LOCKSTEP_HANDLED(pthread_mutex_trylock),
    LOCKSTEP_HANDLED(pthread_mutex_unlock),
    LOCKSTEP_HANDLED(pthread_once),
    LOCKSTEP_HANDLED(pthread_rwlock_clockrdlock),
    LOCKSTEP_HANDLED(pthread_rwlock_clockwrlock),
    LOCKSTEP_HANDLED(pthread_rwlock_rdlock),
    LOCKSTEP_HANDLED(pthread_rwlock_timedrdlock),
    LOCKSTEP_HANDLED(pthread_rwlock_timedwrlock),
    LOCKSTEP_HANDLED(pthread_rwlock_tryrdlock),
    LOCKSTEP_HANDLED(pthread_rwlock_trywrlock),
    LOCKSTEP_HANDLED(pthread_rwlock_unlock),
    LOCKSTEP_HANDLED(pthread_rwlock_wrlock),
    LOCKSTEP_HANDLED(pthread_self),
    LOCKSTEP_HANDLED(pthread_setaffinity_np),
    LOCKSTEP_HANDLED(pthread_setname_np),
    LOCKSTEP_HANDLED(pthread_setschedparam),
    LOCKSTEP_HANDLED(pthread_setschedprio),
    LOCKSTEP_HANDLED(pthread_setspecific),
    LOCKSTEP_HANDLED(pthread_sigmask),
    LOCKSTEP_HANDLED(pthread_sigqueue),
    LOCKSTEP_HANDLED(pthread_spin_lock),
    LOCKSTEP_HANDLED(pthread_spin_trylock),
    LOCKSTEP_HANDLED(pthread_spin_unlock),
    LOCKSTEP_HANDLED(pthread_timedjoin_np),
    LOCKSTEP_HANDLED(pthread_tryjoin_np),
    LOCKSTEP_HANDLED(pwritev),
    LOCKSTEP_HANDLED(pwritev2),
    LOCKSTEP_HANDLED(quick_exit),
    LOCKSTEP_HANDLED(raise),
    LOCKSTEP_HANDLED(rand),
    LOCKSTEP_HANDLED(random),
    LOCKSTEP_HANDLED(read),
    LOCKSTEP_HANDLED(readv),
    LOCKSTEP_HANDLED(recv),
    LOCKSTEP_HANDLED(recvfrom),
    LOCKSTEP_HANDLED(recvmmsg),
    LOCKSTEP_HANDLED(recvmsg),
    LOCKSTEP_HANDLED(sched_getaffinity),
    LOCKSTEP_HANDLED(sched_getcpu),
    LOCKSTEP_HANDLED(sched_setaffinity),
    LOCKSTEP_HANDLED(sched_yield),
    LOCKSTEP_HANDLED(seed48),
    LOCKSTEP_HANDLED(select),
    LOCKSTEP_HANDLED(sem_clockwait),
    LOCKSTEP_HANDLED(sem_post),
    LOCKSTEP_HANDLED(sem_timedwait),
    LOCKSTEP_HANDLED(sem_trywait),
    LOCKSTEP_HANDLED(sem_wait),
    LOCKSTEP_HANDLED(semop),
    LOCKSTEP_HANDLED(semtimedop),
    LOCKSTEP_HANDLED(setitimer),
    LOCKSTEP_HANDLED(send),
    LOCKSTEP_HANDLED(sendfile),
    LOCKSTEP_HANDLED(sendmmsg),
    LOCKSTEP_HANDLED(sendmsg),
    LOCKSTEP_HANDLED(sendto),
    LOCKSTEP_HANDLED(setitimer),
    LOCKSTEP_HANDLED(setpriority),
    LOCKSTEP_HANDLED(setsockopt),
    LOCKSTEP_HANDLED(shutdown),
    LOCKSTEP_HANDLED(sigaction),
    LOCKSTEP_HANDLED(signal),
    LOCKSTEP_HANDLED(sigprocmask),
    LOCKSTEP_HANDLED(sigqueue),
    LOCKSTEP_HANDLED(sigsuspend),
    LOCKSTEP_HANDLED(sigtimedwait),
    LOCKSTEP_HANDLED(sigwait),
    LOCKSTEP_HANDLED(sigwaitinfo),
    LOCKSTEP_HANDLED(sleep),
    LOCKSTEP_HANDLED(socket),
    LOCKSTEP_HANDLED(socketpair),
    LOCKSTEP_HANDLED(splice),
    LOCKSTEP_HANDLED(srand),
    LOCKSTEP_HANDLED(srand48),
    LOCKSTEP_HANDLED(srandom),
    LOCKSTEP_HANDLED(syscall),
    LOCKSTEP_HANDLED(sysconf),
    LOCKSTEP_HANDLED(system),
    LOCKSTEP_HANDLED(tee),
    LOCKSTEP_HANDLED(tgkill),
    LOCKSTEP_HANDLED(thrd_create),
    LOCKSTEP_HANDLED(thrd_current),
    LOCKSTEP_HANDLED(thrd_detach),
    LOCKSTEP_HANDLED(thrd_exit),
    LOCKSTEP_HANDLED(thrd_join),
    LOCKSTEP_HANDLED(thrd_sleep),
    LOCKSTEP_HANDLED(thrd_yield),
    LOCKSTEP_HANDLED(time),
    LOCKSTEP_HANDLED(timer_create),
    LOCKSTEP_HANDLED(timerfd_create),
    LOCKSTEP_HANDLED(timerfd_gettime),
    LOCKSTEP_HANDLED(timerfd_settime),
    LOCKSTEP_HANDLED(timespec_get),
    LOCKSTEP_HANDLED(tss_create),
    LOCKSTEP_HANDLED(tss_delete),
    LOCKSTEP_HANDLED(tss_get),
    LOCKSTEP_HANDLED(tss_set),
    LOCKSTEP_HANDLED(ualarm),
    LOCKSTEP_HANDLED(uname),
    LOCKSTEP_HANDLED(usleep),
    LOCKSTEP_HANDLED(vdprintf),
    LOCKSTEP_HANDLED(vfork),
    LOCKSTEP_HANDLED(vmsplice),
    LOCKSTEP_HANDLED(wait),
    LOCKSTEP_HANDLED(wait3),
    LOCKSTEP_HANDLED(wait4),
    LOCKSTEP_HANDLED(waitid),
    LOCKSTEP_HANDLED(waitpid),
    LOCKSTEP_HANDLED(write),
    LOCKSTEP_HANDLED(writev),
};

// References to all files that define these functions (LOCKSTEP_LINKED).
[[gnu::used]] const char* const kLinked[] = {
    &linked::attributes,    &linked::barriers,       &linked::c11_threads, &linked::chance,
    &linked::chance_files,  &linked::cleanups,       &linked::clocks,      &linked::closes,
    &linked::conditions,    &linked::duplicates,     &linked::epolls,      &linked::event_files,
    &linked::exits,         &linked::fcntl,          &linked::file_calls,  &linked::fortified,
    &linked::futexes,       &linked::keys,           &linked::mutexes,     &linked::names,
    &linked::once,          &linked::pipes,          &linked::polls,       &linked::process_groups,
    &linked::process_ids,   &linked::processors,     &linked::refused,     &linked::rwlocks,
    &linked::semaphores,    &linked::signal_masks,   &linked::signals,     &linked::sleeps,
    &linked::socket_calls,  &linked::socket_options, &linked::spinlocks,   &linked::stream_locks,
    &linked::thread_atexit, &linked::threads,        &linked::timer_files, &linked::transfers,
    &linked::vectors};

}  // namespace

std::span<const Handled> handled() { return kHandled; }

}  // namespace lockstep::intercept
