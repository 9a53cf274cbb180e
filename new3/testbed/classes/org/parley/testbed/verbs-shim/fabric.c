#define _GNU_SOURCE
#include "fabric.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

void lock(_Atomic uint32_t *word) {
    for (int spins = 0; !try_lock(word); spins++) {
        if (spins > 100) sched_yield();
        else __builtin_ia32_pause();
    }
}

bool try_lock(_Atomic uint32_t *word) {
    return !atomic_load_explicit(word, memory_order_relaxed) && !atomic_exchange_explicit(word, 1, memory_order_acquire);
}

void unlock(_Atomic uint32_t *word) { atomic_store_explicit(word, 0, memory_order_release); }

uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

/* The file's bytes carry the locks: one for each node, and one more for its tables. */
static int lock_byte(int file, int command, short type, off_t byte) {
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    if (fcntl(file, command, &range)) return -1;
    return command == F_OFD_GETLK ? range.l_type != F_UNLCK : 0;
}

static void lock_tables(struct context *context) {
    while (lock_byte(context->file, F_OFD_SETLKW, F_WRLCK, NODES) && errno == EINTR) { }
}

static void unlock_tables(struct context *context) { lock_byte(context->file, F_OFD_SETLK, F_UNLCK, NODES); }

bool is_alive(struct context *context, uint32_t node) {
    return node == context->index || lock_byte(context->file, F_OFD_GETLK, F_WRLCK, node) == 1;
}

/* What a dead process left is free again. */
static void reclaim(struct context *context, uint32_t node) {
    struct fabric *fabric = context->fabric;
    for (int i = 0; i < QUEUES; i++) {
        if (fabric->ports[i].qpn && fabric->ports[i].node == node) fabric->ports[i].qpn = 0;
    }
    for (int i = 0; i < KEYS; i++) {
        if (fabric->regions[i].key && fabric->regions[i].node == node) fabric->regions[i].key = 0;
    }
    fabric->nodes[node].used = 0;
}

static socklen_t bell_address(struct context *context, uint32_t node, struct sockaddr_un *address) {
    struct stat file;
    fstat(context->file, &file);
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "verbs-shim-%lx-%lx-%x", (long)file.st_dev,
                          (long)file.st_ino, node);
    return offsetof(struct sockaddr_un, sun_path) + 1 + length;
}

bool enter(struct context *context, int device) {
    char path[160];
    snprintf(path, sizeof path, "%s/fabric", folder);
    context->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (context->file < 0) return false;
    lock_tables(context);
    size_t ring = 64 << 10;
    while (ring < (size_t)options.ring) ring *= 2;
    struct stat file;
    if (!fstat(context->file, &file) && file.st_size) { /* the first one has chosen */
        ring = (file.st_size - sizeof(struct fabric)) / QUEUES;
    }
    size_t size = sizeof(struct fabric) + QUEUES * ring;
    if (ftruncate(context->file, size)) return false;
    context->fabric = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED, context->file, 0);
    if (context->fabric == MAP_FAILED) return false;
    context->fabric->ring = ring;
    uint32_t index = 0;
    context->index = NODES;
    while (index < NODES && context->fabric->nodes[index].used && is_alive(context, index)) index++;
    if (index == NODES) {
        unlock_tables(context);
        errno = EMFILE;
        return false;
    }
    reclaim(context, index);
    lock_byte(context->file, F_OFD_SETLK, F_WRLCK, index);
    context->index = index;
    context->node = &context->fabric->nodes[index];
    context->node->pid = getpid();
    context->node->device = device;
    context->node->host = options.host;
    context->node->waiting = 0;
    context->node->up = options.port && !options.silent;
    context->node->used = 1;
    unlock_tables(context);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); /* peers read and write this process's memory */

    context->bell = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_un address;
    socklen_t length = bell_address(context, index, &address);
    return context->bell >= 0 && !bind(context->bell, (struct sockaddr *)&address, length);
}

void leave(struct context *context) {
    lock_tables(context);
    reclaim(context, context->index);
    munmap(context->fabric, sizeof(struct fabric) + QUEUES * (size_t)context->fabric->ring);
    close(context->bell);
    close(context->file); /* and its locks go */
}

void ring_bell(struct context *context, uint32_t node) {
    struct sockaddr_un address;
    socklen_t length = bell_address(context, node, &address);
    sendto(context->bell, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&address, length);
}

struct port *new_port(struct context *context) {
    struct fabric *fabric = context->fabric;
    struct port *port = 0;
    lock_tables(context);
    for (int attempt = 0; attempt < 2 && !port; attempt++) {
        /* Round and round, so that a number comes back late: who still sends to an old one must not meet a new one. */
        for (int i = 0; i < QUEUES && !port; i++) {
            struct port *candidate = &fabric->ports[fabric->next_port % QUEUES];
            if (!candidate->qpn) {
                port = candidate;
                uint32_t salt = port->salt + 1;
                memset(port, 0, sizeof *port);
                port->salt = salt;
                port->node = context->index;
                port->qpn = FIRST_QPN + fabric->next_port % 0xff0000; /* a multiple of QUEUES */
            }
            fabric->next_port++;
        }
        for (uint32_t node = 0; node < NODES && !port; node++) {
            if (fabric->nodes[node].used && !is_alive(context, node)) reclaim(context, node);
        }
    }
    unlock_tables(context);
    return port;
}

struct port *port_of(struct fabric *fabric, uint32_t qpn) {
    struct port *port = &fabric->ports[(qpn - FIRST_QPN) % QUEUES];
    return port->qpn == qpn ? port : 0;
}

char *ring_of(struct fabric *fabric, struct port *port) {
    return fabric->rings + (port - fabric->ports) * (size_t)fabric->ring;
}

uint32_t new_key(struct context *context, uint64_t address, uint64_t length, uint32_t access, uint32_t pd) {
    struct fabric *fabric = context->fabric;
    uint32_t key = 0;
    lock_tables(context);
    for (int i = 0; i < KEYS && !key; i++) {
        uint32_t next = ++fabric->next_key;
        struct region *region = &fabric->regions[next % KEYS];
        if (region->key || !next) continue;
        region->node = context->index;
        region->access = access;
        region->pd = pd;
        region->address = address;
        region->length = length;
        region->key = key = next;
    }
    unlock_tables(context);
    return key;
}

struct region *region_of(struct fabric *fabric, uint32_t key) {
    struct region *region = &fabric->regions[key % KEYS];
    return key && atomic_load_explicit(&region->key, memory_order_relaxed) == key ? region : 0;
}

/* Many send datagrams into one ring. One of them may be killed while it does. */
void lock_ring(struct context *context, struct port *port) {
    uint32_t mine = context->index + 1, holder;
    for (int spins = 0;; spins++) {
        holder = 0;
        if (atomic_compare_exchange_strong(&port->lock, &holder, mine)) return;
        if (spins % 1000 == 999 && !is_alive(context, holder - 1) && atomic_compare_exchange_strong(&port->lock, &holder, mine)) {
            return;
        }
        sched_yield();
    }
}

/* Bits of option gids: link-local v1, link-local v2, IPv4 v1, IPv4 v2. */
int gid_count(void) { return __builtin_popcountl(options.gids & 15); }

union ibv_gid gid_at(uint32_t host, uint32_t device, int index, enum ibv_gid_type *type) {
    union ibv_gid gid = {{0}};
    int kind = 0;
    for (; kind < 4; kind++) {
        if (options.gids >> kind & 1 && index-- == 0) break;
    }
    *type = kind & 1 ? IBV_GID_TYPE_ROCE_V2 : IBV_GID_TYPE_ROCE_V1;
    if (kind < 2) {
        memcpy(gid.raw, (uint8_t[]){0xfe, 0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0xff, 0xfe, 0, device, host + 1}, 16);
    } else {
        memcpy(gid.raw, (uint8_t[]){0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 77, device, host + 1}, 16);
    }
    return gid;
}
