/*
 * Prints how many nanoseconds a cache line takes from one processor to the next: the least of a few bursts.
 *
 * A virtual machine's processors move: now they share a core's cache, now they sit on distant parts of the host, and
 * every small-message latency moves with them by a factor of two or three. Two runs are comparable only if this
 * number was the same for both.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define BURSTS 10
#define TURNS 5000

static _Alignas(256) atomic_int there;
static _Alignas(256) atomic_int back;

/* Binds the calling thread to the nth processor that it may use. */
static int bind_to(int nth)
{
    cpu_set_t allowed, one;

    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && nth-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            return pthread_setaffinity_np(pthread_self(), sizeof one, &one);
        }
    return -1;
}

static void *echo(void *unused)
{
    (void) unused;
    bind_to(1);
    for (int turn = 1; turn <= BURSTS * TURNS; turn++) {
        while (atomic_load_explicit(&there, memory_order_acquire) != turn)
            ;
        atomic_store_explicit(&back, turn, memory_order_release);
    }
    return NULL;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(void)
{
    pthread_t thread;
    double best = 1e18;
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) {
        puts("0");
        return 0;
    }
    if (pthread_create(&thread, NULL, echo, NULL) != 0 || bind_to(0) != 0)
        return 1;
    for (int burst = 0, turn = 0; burst < BURSTS; burst++) {
        double start = now(), time;

        for (int i = 0; i < TURNS; i++) {
            atomic_store_explicit(&there, ++turn, memory_order_release);
            while (atomic_load_explicit(&back, memory_order_acquire) != turn)
                ;
        }
        time = (now() - start) / (2.0 * TURNS);
        best = time < best ? time : best;
    }
    pthread_join(thread, NULL);
    printf("%.0f\n", best);
    return 0;
}
