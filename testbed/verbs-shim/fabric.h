/*
 * The fabric: one file that all processes of a job map, with what a real network and the adapters' memory would hold.
 * Whoever sends writes a record into the ring of the receiving queue pair; the receiver's software, at its next poll (or the
 * engine thread of its context, when nobody polls), moves it into a posted receive. Long payloads are pulled from, and
 * RDMA goes to and from, the other process's memory by process_vm_readv/writev: one copy, nothing for the peer to do.
 */
#ifndef FABRIC_H
#define FABRIC_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define LINE 64
#define NODES 256
#define KEYS 65536
#define QUEUES 1024
#define FIRST_QPN 0x100
#define MAX_SGE 64
#define ALIGNED __attribute__((aligned(LINE)))

/* An open device context. It is alive as long as somebody holds the lock of its byte in the file: a killed process holds none. */
struct node {
    _Atomic uint32_t used;
    pid_t pid;
    uint32_t device, host;
    _Atomic uint32_t up;      /* its port transmits and receives */
    _Atomic uint32_t waiting; /* a completion queue is armed: ring its bell */
} ALIGNED;

struct region {
    _Atomic uint32_t key; /* 0: free */
    uint32_t node, access, pd;
    uint64_t address, length;
} ALIGNED;

/* What others see of a queue pair: constants of the connection; what its owner writes; what datagram senders write. */
struct port {
    _Atomic uint32_t qpn, state, destination, salt;
    _Atomic uint32_t node, access, rq_psn, mtu, rnr_timer, qkey, sgid, poisoned, type;
    _Atomic uint64_t head ALIGNED; /* all before it is delivered, which is the acknowledgement */
    _Atomic uint64_t rnr_since;    /* since when the record at head waits for a receive */
    _Atomic uint32_t nak;          /* why the record at head was refused */
    _Atomic uint64_t tail ALIGNED;
    _Atomic uint32_t lock;
} ALIGNED;

struct fabric {
    uint32_t ring, next_port, next_key;
    struct node nodes[NODES];
    struct port ports[QUEUES];
    struct region regions[KEYS];
    char rings[] ALIGNED;
};

enum kind { PAD, COPIED, PULLED, NOTICE /* of an RDMA WRITE with immediate data */ };

/* A message to up to 40 bytes is one cache line. */
struct record {
    _Atomic uint64_t mark; /* written last */
    uint32_t length;
    uint8_t kind, has_immediate, solicited, sges;
    uint32_t immediate, source;
    char data[];
};

struct work { /* of a send queue */
    uint64_t id, end, remote;
    uint32_t opcode, flags, immediate, rkey, length, fault;
    struct address *to;
    uint32_t qpn, qkey;
    int sges;
    bool is_inline;
    union { struct ibv_sge sge[1]; char data[16]; };
};

struct receive {
    uint64_t id;
    int sges;
    struct ibv_sge sge[];
};

struct receives {
    char *slots;
    uint32_t stride, size, max_sge, posted, taken;
};

struct completion {
    struct ibv_wc wc;
    struct queue *queue;
    uint32_t frees; /* send work up to here, when it is polled */
};

struct cq {
    struct ibv_cq ibv;
    struct completion *entries;
    uint32_t size, put, got;
    int armed; /* 1: any, 2: solicited ones and errors */
    uint32_t events, acknowledged;
    struct queue **queues;
    int queue_count;
    bool overrun;
};

struct srq {
    struct ibv_srq ibv;
    struct receives receives;
    uint32_t limit;
};

struct address {
    struct ibv_ah ibv;
    struct ibv_ah_attr attr;
};

struct queue {
    struct ibv_qp ibv;
    struct queue *next;
    struct port *port, *peer;
    char *ring, *peer_ring;
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    char *works;
    uint32_t stride, posted, sent, done, freed;
    struct receives receives;
    uint64_t head, tail, peer_head, silent_since;
    uint32_t salt;
    bool connected, peer_is_dead, halted;
    struct late *late;
};

struct channel {
    struct ibv_comp_channel ibv;
    int out;
};

#define COUNTERS(X) \
    X(post_send) X(send_wr) X(post_recv) X(recv_wr) X(poll) X(empty_poll) X(completion) X(req_notify) X(event) X(rnr) \
    X(reg_mr) X(dereg_mr) X(create_qp) X(datagram_drop)
#define FIELD(name) uint64_t name;
struct counters { COUNTERS(FIELD) };

struct context {
    struct ibv_context ibv;
    struct context *next;
    _Atomic uint32_t lock; /* of all below: one thread uses a context, and the engine now and then */
    struct fabric *fabric;
    struct node *node;
    uint32_t index, handles, armed;
    int file, bell, async_out;
    pthread_t engine;
    _Atomic bool closing;
    bool active; /* its port, as the program was told last */
    struct queue *queues;
    struct cq **cqs;
    int cq_count;
    uint64_t registered;
    struct counters counters;
};

/* options.c */
#define OPTIONS(X) \
    X(inline_data, 236) X(rdma, 1) X(events, 1) X(srq, 1) X(max_mr, 1L << 40) X(memlock, 0) X(max_sge, 32) X(max_qp_wr, 16384) \
    X(max_cqe, 65536) X(max_msg, 1L << 30) X(mtu, 4096) X(gids, 15) X(pkey, 0xffff) X(pkey2, 0) X(devices, 1) X(host, 0) X(port, 1) \
    X(silent, 0) X(copy, 16384) X(ring, 256 << 10) X(doorbell_ns, 0) X(fail_send, 0) X(fail_recv, 0) X(fail_status, 12) X(lose_ack, 0) X(fail_longer, 0) \
    X(drop_every, 0) X(duplicate_every, 0) X(drop_percent, 0) X(duplicate_percent, 0) X(overtake_percent, 0)
#define VALUE(name, standard) _Atomic long name;
extern struct options { OPTIONS(VALUE) } options;
extern char folder[128];
extern struct context *contexts;
bool load_options(void);
void reload_options(void);
void make_sysfs(struct ibv_device *device, int number);
void write_counters(void);
const char *driver(void);

/* fabric.c */
void lock(_Atomic uint32_t *word);
bool try_lock(_Atomic uint32_t *word);
void unlock(_Atomic uint32_t *word);
uint64_t now(void);
bool enter(struct context *context, int device);
void leave(struct context *context);
bool is_alive(struct context *context, uint32_t node);
struct port *new_port(struct context *context);
uint32_t new_key(struct context *context, uint64_t address, uint64_t length, uint32_t access, uint32_t pd);
struct port *port_of(struct fabric *fabric, uint32_t qpn);
struct region *region_of(struct fabric *fabric, uint32_t key);
char *ring_of(struct fabric *fabric, struct port *port);
void lock_ring(struct context *context, struct port *port);
int gid_count(void);
union ibv_gid gid_at(uint32_t host, uint32_t device, int index, enum ibv_gid_type *type);
void ring_bell(struct context *context, uint32_t node);

/* queue.c */
static inline struct context *of(struct ibv_context *context) { return (struct context *)context; }

static inline struct work *work_at(struct queue *q, uint32_t position) {
    return (struct work *)(q->works + (size_t)(position & (q->init.cap.max_send_wr - 1)) * q->stride);
}

static inline bool is_rc(struct queue *q) { return q->ibv.qp_type == IBV_QPT_RC; }

static inline struct receives *receives_of(struct queue *q) {
    return q->ibv.srq ? &((struct srq *)q->ibv.srq)->receives : &q->receives;
}

/* A countdown that a test has set: true for the nth that asks. */
static inline bool strikes(_Atomic long *countdown) { return *countdown && atomic_fetch_sub(countdown, 1) == 1; }

void doorbell(void);
void complete(struct ibv_cq *ibv, struct queue *q, struct ibv_wc *wc, uint32_t frees, bool solicited);
void complete_work(struct queue *q, enum ibv_wc_status status);
void forget_completions(struct queue *q);
void disarm(struct cq *cq);
void make_receives(struct receives *receives, uint32_t size, uint32_t max_sge);
struct receive *receive_at(struct receives *receives, uint32_t position);
void fail(struct queue *q, enum ibv_wc_status status);
void to_error(struct queue *q);
bool may_access_all(struct context *c, struct ibv_sge *sge, int count, uint32_t pd, uint32_t access);
int vector(struct iovec *io, struct ibv_sge *sge, int count, size_t limit);
bool copy_across(pid_t pid, bool to_peer, struct iovec *here, int heres, struct iovec *there, int theres, size_t length);
size_t scatter(struct ibv_sge *sge, int count, const char *bytes, size_t length);
void progress(struct queue *q);
int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc);
int req_notify_cq(struct ibv_cq *cq, int solicited_only);

/* send.c */
/* Not the position itself: old payload, which may be any number, must not look like a record. */
static inline uint64_t mark(uint64_t position, uint32_t salt) {
    return (position + 1) * 0x9e3779b97f4a7c15ull ^ (uint64_t)salt << 33 ^ 0x5bd1e995;
}

static inline size_t record_size(size_t bytes) { return (sizeof(struct record) + bytes + LINE - 1) & ~(size_t)(LINE - 1); }

static inline void wake(struct context *c, uint32_t node) {
    if (atomic_load_explicit(&c->fabric->nodes[node].waiting, memory_order_relaxed)) ring_bell(c, node);
}

int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
void transmit(struct queue *q);
void acknowledge(struct queue *q);

/* receive.c */
void receive(struct queue *q);

/* device.c */
void *refuse(int error);
enum ibv_mtu mtu_code(long bytes);
void async_event(struct context *context, enum ibv_event_type type, void *element);

#endif
