/* Work requests of send queues become records in the rings of their peers, or accesses to their memory. */
#define _GNU_SOURCE
#include "fabric.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define GRH 40
#define ACKNOWLEDGEMENT_LOST 0x1000 /* of work.fault: what was delivered is reported as not acknowledged */

/* ---- the ring ---- */

/* Room for a record without a break; null: none yet. */
static struct record *claim(struct queue *q, struct port *peer, char *ring, uint64_t *tail, size_t size, uint32_t salt) {
    uint32_t ring_size = of(q->ibv.context)->fabric->ring;
    uint32_t at = *tail & (ring_size - 1);
    size_t padding = ring_size - at < size ? ring_size - at : 0;
    if (*tail + padding + size - q->peer_head > ring_size) {
        q->peer_head = atomic_load_explicit(&peer->head, memory_order_acquire);
        if (*tail + padding + size - q->peer_head > ring_size) return 0;
    }
    if (padding) {
        struct record *pad = (struct record *)(ring + at);
        pad->kind = PAD;
        atomic_store_explicit(&pad->mark, mark(*tail, salt), memory_order_release);
        *tail += padding;
        at = 0;
    }
    return (struct record *)(ring + at);
}

static char *gather(char *to, struct work *work) {
    if (work->is_inline) return memcpy(to, work->data, work->length) + work->length;
    for (int i = 0; i < work->sges; i++) {
        memcpy(to, (void *)(uintptr_t)work->sge[i].addr, work->sge[i].length);
        to += work->sge[i].length;
    }
    return to;
}

static void fill(struct record *record, struct queue *q, struct work *work, enum kind kind) {
    record->kind = kind;
    record->length = work->length;
    record->has_immediate = work->opcode == IBV_WR_SEND_WITH_IMM || work->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
    record->immediate = work->immediate;
    record->solicited = !!(work->flags & IBV_SEND_SOLICITED);
    record->source = q->ibv.qp_num;
    record->sges = 0;
}
/* ---- reliable connections, sending ---- */

/* Both ends must agree on what they agreed on out of band; where they do not, an adapter drops packets in silence. */
static bool connect(struct queue *q) {
    struct context *c = of(q->ibv.context);
    struct port *peer = port_of(c->fabric, q->attr.dest_qp_num);
    if (!peer || (peer->state != IBV_QPS_RTR && peer->state != IBV_QPS_RTS)) return false;
    struct node *node = &c->fabric->nodes[peer->node];
    enum ibv_gid_type mine, theirs;
    gid_at(c->node->host, c->node->device, q->attr.ah_attr.grh.sgid_index, &mine);
    union ibv_gid gid = gid_at(node->host, node->device, peer->sgid, &theirs);
    if (peer->type != IBV_QPT_RC || peer->rq_psn != q->attr.sq_psn || mine != theirs
        || memcmp(&gid, &q->attr.ah_attr.grh.dgid, sizeof gid)) {
        return false;
    }
    q->peer = peer;
    q->salt = peer->salt;
    q->peer_ring = ring_of(c->fabric, peer);
    q->tail = q->peer_head = peer->head;
    q->connected = true;
    return true;
}

static bool is_reachable(struct queue *q) {
    struct context *c = of(q->ibv.context);
    if (!q->connected && !connect(q)) return false;
    struct port *peer = q->peer;
    uint32_t state = atomic_load_explicit(&peer->state, memory_order_relaxed);
    return peer->qpn == q->attr.dest_qp_num && peer->salt == q->salt && (state == IBV_QPS_RTS || state == IBV_QPS_RTR)
           && peer->destination == q->ibv.qp_num && c->node->up && c->fabric->nodes[peer->node].up && !q->peer_is_dead;
}

static bool send_message(struct queue *q, struct work *work) {
    struct context *c = of(q->ibv.context);
    if (q->attr.path_mtu > q->peer->mtu && work->length > 128u << q->peer->mtu) { /* its packets are longer than the peer takes */
        work->fault = IBV_WC_REM_INV_REQ_ERR;
        return true;
    }
    bool is_copied = work->is_inline || work->length <= options.copy;
    size_t bytes = is_copied ? work->length : work->sges * sizeof(struct ibv_sge);
    struct record *record = claim(q, q->peer, q->peer_ring, &q->tail, record_size(bytes), q->salt);
    if (!record) return false;
    fill(record, q, work, is_copied ? COPIED : PULLED);
    if (is_copied) {
        gather(record->data, work);
    } else {
        record->sges = work->sges;
        memcpy(record->data, work->sge, bytes);
    }
    atomic_store_explicit(&record->mark, mark(q->tail, q->salt), memory_order_release);
    q->tail += record_size(bytes);
    wake(c, q->peer->node);
    return true;
}

/* RDMA is done here and now. What it may not do, it finds out as an adapter would: from the peer. */
static bool access_remote(struct queue *q, struct work *work) {
    struct context *c = of(q->ibv.context);
    bool writes = work->opcode != IBV_WR_RDMA_READ;
    if (atomic_load_explicit(&q->peer->rnr_since, memory_order_relaxed)) return false; /* behind what waits for a receive */
    struct record *notice = 0;
    if (work->opcode == IBV_WR_RDMA_WRITE_WITH_IMM) {
        notice = claim(q, q->peer, q->peer_ring, &q->tail, LINE, q->salt);
        if (!notice) return false;
    }
    uint32_t access = writes ? IBV_ACCESS_REMOTE_WRITE : IBV_ACCESS_REMOTE_READ;
    struct region *region = region_of(c->fabric, work->rkey);
    bool allowed = !work->length
                   || (region && region->node == q->peer->node && region->access & access && q->peer->access & access
                       && work->remote >= region->address && work->remote + work->length <= region->address + region->length);
    struct iovec here[MAX_SGE], there = {(void *)(uintptr_t)work->remote, work->length};
    int heres = work->is_inline ? 1 : vector(here, work->sge, work->sges, work->length);
    if (work->is_inline) here[0] = (struct iovec){work->data, work->length};
    if (!allowed || !copy_across(c->fabric->nodes[q->peer->node].pid, writes, here, heres, &there, 1, work->length)) {
        work->fault = IBV_WC_REM_ACCESS_ERR;
        q->peer->poisoned = 1;
        return true;
    }
    if (notice) {
        fill(notice, q, work, NOTICE);
        atomic_store_explicit(&notice->mark, mark(q->tail, q->salt), memory_order_release);
        q->tail += LINE;
        wake(c, q->peer->node);
    }
    return true;
}

static bool is_rdma(struct work *work) {
    return work->opcode == IBV_WR_RDMA_WRITE || work->opcode == IBV_WR_RDMA_WRITE_WITH_IMM || work->opcode == IBV_WR_RDMA_READ;
}

/* ---- datagrams ---- */

static void put_grh(char *grh, struct context *c, struct work *work) {
    enum ibv_gid_type type;
    union ibv_gid *to = &work->to->attr.grh.dgid;
    union ibv_gid from = gid_at(c->node->host, c->node->device, work->to->attr.grh.sgid_index, &type);
    memset(grh, 0, GRH);
    if (type == IBV_GID_TYPE_ROCE_V2 && !from.raw[0]) { /* an IPv4 header, in the second half */
        grh[20] = 0x45;
        grh[28] = 64;
        grh[29] = 17;
        memcpy(grh + 32, from.raw + 12, 4);
        memcpy(grh + 36, to->raw + 12, 4);
    } else {
        grh[0] = 0x60;
        grh[6] = 27;
        grh[7] = 64;
        memcpy(grh + 8, &from, 16);
        memcpy(grh + 24, to, 16);
    }
}

static bool is_addressee(struct context *c, struct port *peer, struct work *work) {
    struct node *node = &c->fabric->nodes[peer->node];
    uint32_t qkey = work->qkey & 0x80000000 ? 0 : work->qkey;
    enum ibv_gid_type mine, theirs;
    gid_at(c->node->host, c->node->device, work->to->attr.grh.sgid_index, &mine);
    for (int i = 0; i < gid_count(); i++) {
        union ibv_gid gid = gid_at(node->host, node->device, i, &theirs);
        if (mine == theirs && !memcmp(&gid, &work->to->attr.grh.dgid, sizeof gid)) {
            return peer->type == IBV_QPT_UD && node->up && c->node->up && peer->qkey == qkey
                   && (peer->state == IBV_QPS_RTR || peer->state == IBV_QPS_RTS);
        }
    }
    return false;
}

/* True for so many of a hundred, by chance; the same in each run of a program that does the same. */
static bool happens(_Atomic long *percent) {
    static _Atomic uint64_t state = 88172645463325252ull;
    if (!*percent) return false;
    uint64_t x = state;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    state = x;
    return (long)((x >> 33) % 100) < *percent;
}

static void put_datagram(struct queue *q, struct port *peer, struct work *work) {
    struct context *c = of(q->ibv.context);
    lock_ring(c, peer);
    uint64_t tail = peer->tail;
    size_t size = record_size(GRH + work->length);
    q->peer_head = peer->head;
    struct record *record = claim(q, peer, ring_of(c->fabric, peer), &tail, size, peer->salt);
    if (record) {
        fill(record, q, work, COPIED);
        record->length += GRH;
        put_grh(record->data, c, work);
        gather(record->data + GRH, work);
        atomic_store_explicit(&record->mark, mark(tail, peer->salt), memory_order_release);
        peer->tail = tail + size;
    } else {
        c->counters.datagram_drop++;
    }
    peer->lock = 0;
    wake(c, peer->node);
}

/* A datagram that the next one overtakes, with all that it refers to. */
struct late {
    struct address to;
    struct work work; /* its data behind it */
};

static void put_off(struct queue *q, struct work *work) {
    struct late *late = malloc(sizeof *late + work->length);
    late->to = *work->to;
    late->work = *work;
    gather(late->work.data, work);
    late->work.to = &late->to;
    late->work.is_inline = true;
    q->late = late;
}

/* It arrives, or it does not, and nobody says so. */
static void send_datagram(struct queue *q, struct work *work) {
    static _Atomic long count;
    struct context *c = of(q->ibv.context);
    struct port *peer = port_of(c->fabric, work->qpn);
    if (!peer || !is_addressee(c, peer, work)) {
        c->counters.datagram_drop++;
        return;
    }
    long number = ++count;
    if ((options.drop_every && number % options.drop_every == 0) || happens(&options.drop_percent)) {
        c->counters.datagram_drop++;
        return;
    }
    if (!q->late && happens(&options.overtake_percent)) {
        put_off(q, work);
        return;
    }
    put_datagram(q, peer, work);
    if ((options.duplicate_every && number % options.duplicate_every == 0) || happens(&options.duplicate_percent)) {
        put_datagram(q, peer, work);
    }
    struct late *late = q->late;
    q->late = 0;
    peer = late ? port_of(c->fabric, late->work.qpn) : 0;
    if (peer && is_addressee(c, peer, &late->work)) put_datagram(q, peer, &late->work);
    free(late);
}

/* ---- the send queue ---- */

static bool start(struct queue *q, struct work *work) {
    if (work->fault & ~ACKNOWLEDGEMENT_LOST) return true; /* it fails before anything leaves */
    if (!is_rc(q)) return send_datagram(q, work), true;
    return is_rdma(work) ? access_remote(q, work) : send_message(q, work);
}

void transmit(struct queue *q) {
    while (q->sent != q->posted && !q->halted) {
        struct work *work = work_at(q, q->sent);
        if (is_rc(q) && !is_reachable(q)) return;
        if (!start(q, work)) return;
        work->end = q->tail;
        q->halted = work->fault; /* nothing that follows may leave */
        q->sent++;
    }
}

/* As RNR NAK timers are encoded, in microseconds. */
static uint64_t rnr_time(uint32_t code) {
    static const uint32_t times[] = {655360, 10,   20,   30,   40,    60,    80,    120,   160,   240,    320,
                                     480,    640,  960,  1280, 1920,  2560,  3840,  5120,  7680,  10240,  15360,
                                     20480,  30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520};
    return times[code & 31] * 1000ull;
}

/* Whether the peer has been silent, or without a receive, for longer than retries last. */
static enum ibv_wc_status patience_ends(struct queue *q) {
    if (!is_reachable(q)) {
        if (!q->silent_since) q->silent_since = now();
        uint64_t patience = (4096ull << q->attr.timeout) * (q->attr.retry_cnt + 1);
        return q->attr.timeout && now() - q->silent_since > patience ? IBV_WC_RETRY_EXC_ERR : IBV_WC_SUCCESS;
    }
    q->silent_since = 0;
    uint64_t since = atomic_load_explicit(&q->peer->rnr_since, memory_order_relaxed);
    if (since && q->attr.rnr_retry < 7) {
        uint64_t patience = rnr_time(q->peer->rnr_timer) * (q->attr.rnr_retry + 1), time = now();
        if (time > since && time - since > patience) return IBV_WC_RNR_RETRY_EXC_ERR;
    }
    return IBV_WC_SUCCESS;
}

void acknowledge(struct queue *q) {
    uint64_t head = q->connected ? atomic_load_explicit(&q->peer->head, memory_order_acquire) : 0;
    while (q->done != q->sent) {
        struct work *work = work_at(q, q->done);
        bool is_delivered = !is_rc(q) || (int64_t)(head - work->end) >= 0;
        if (!is_delivered) break;
        if (work->fault) return fail(q, work->fault == ACKNOWLEDGEMENT_LOST ? IBV_WC_RETRY_EXC_ERR : work->fault);
        complete_work(q, IBV_WC_SUCCESS);
        q->silent_since = 0;
    }
    if (is_rc(q) && q->done != q->posted) {
        uint32_t nak = q->connected && q->peer->salt == q->salt ? q->peer->nak : 0;
        enum ibv_wc_status status = nak && q->done != q->sent ? nak : patience_ends(q);
        if (status) fail(q, status);
    }
}

static int check(struct queue *q, struct ibv_send_wr *wr, struct work *work) {
    bool is_ud = !is_rc(q);
    if (q->ibv.state != IBV_QPS_RTS && q->ibv.state != IBV_QPS_ERR) return EINVAL;
    if (q->posted - q->freed == q->init.cap.max_send_wr) return ENOMEM;
    if (wr->num_sge < 0 || (uint32_t)wr->num_sge > q->init.cap.max_send_sge) return EINVAL;
    bool is_send = wr->opcode == IBV_WR_SEND || wr->opcode == IBV_WR_SEND_WITH_IMM;
    if (!is_send && (is_ud || wr->opcode > IBV_WR_RDMA_READ)) return EINVAL;
    if (is_ud && !wr->wr.ud.ah) return EINVAL;
    uint64_t length = 0;
    for (int i = 0; i < wr->num_sge; i++) length += wr->sg_list[i].length;
    work->is_inline = wr->send_flags & IBV_SEND_INLINE && q->init.cap.max_inline_data && wr->opcode != IBV_WR_RDMA_READ;
    if (work->is_inline && length > q->init.cap.max_inline_data) return EINVAL;
    work->length = length;
    work->fault = length > (uint64_t)(is_ud ? options.mtu : options.max_msg) ? IBV_WC_LOC_LEN_ERR : 0;
    return 0;
}

static int post(struct queue *q, struct ibv_send_wr *wr) {
    struct context *c = of(q->ibv.context);
    struct work *work = work_at(q, q->posted);
    int error = check(q, wr, work);
    if (error) return error;
    work->id = wr->wr_id;
    work->opcode = wr->opcode;
    if (!options.rdma && wr->opcode < IBV_WR_SEND) work->opcode = wr->opcode ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND;
    if (!options.rdma && wr->opcode == IBV_WR_RDMA_READ) work->opcode = IBV_WR_SEND;
    work->flags = wr->send_flags;
    work->immediate = wr->imm_data;
    work->sges = wr->num_sge;
    if (is_rc(q)) {
        work->remote = wr->wr.rdma.remote_addr;
        work->rkey = wr->wr.rdma.rkey;
    } else {
        work->to = (struct address *)wr->wr.ud.ah;
        work->qpn = wr->wr.ud.remote_qpn;
        work->qkey = wr->wr.ud.remote_qkey;
    }
    if (work->is_inline) {
        char *to = work->data;
        for (int i = 0; i < wr->num_sge; i++) to = mempcpy(to, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
    } else {
        memcpy(work->sge, wr->sg_list, wr->num_sge * sizeof *wr->sg_list);
        uint32_t access = work->opcode == IBV_WR_RDMA_READ ? IBV_ACCESS_LOCAL_WRITE : 0;
        if (!may_access_all(c, work->sge, work->sges, q->ibv.pd->handle, access)) work->fault = IBV_WC_LOC_PROT_ERR;
    }
    if (!work->fault && strikes(&options.fail_send)) work->fault = options.fail_status;
    if (!work->fault && options.fail_longer && work->length > options.fail_longer) work->fault = IBV_WC_RETRY_EXC_ERR;
    if (!work->fault && strikes(&options.lose_ack)) work->fault = ACKNOWLEDGEMENT_LOST;
    q->posted++;
    c->counters.send_wr++;
    return 0;
}

int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {
    struct queue *q = (struct queue *)qp;
    struct context *c = of(qp->context);
    int error = 0;
    lock(&c->lock);
    c->counters.post_send++;
    for (; wr && !error; wr = wr->next) {
        error = post(q, wr);
        if (error) *bad = wr;
    }
    if (qp->state == IBV_QPS_RTS) transmit(q);
    else while (q->done != q->posted) complete_work(q, IBV_WC_WR_FLUSH_ERR);
    doorbell();
    unlock(&c->lock);
    return error;
}
