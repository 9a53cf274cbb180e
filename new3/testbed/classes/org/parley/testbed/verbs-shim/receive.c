/* Records of the own rings become completed receives. */
#define _GNU_SOURCE
#include "fabric.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* What the receiver finds wrong with a message ends both queue pairs: its own at once, the sender's by a NAK. */
static void reject(struct queue *q, uint64_t id, enum ibv_wc_status mine, enum ibv_wc_status theirs) {
    struct ibv_wc wc = {.wr_id = id, .status = mine, .opcode = IBV_WC_RECV};
    if (is_rc(q)) q->port->nak = theirs;
    complete(q->ibv.recv_cq, q, &wc, 0, false);
    to_error(q);
}

enum pulled { WHOLE, SENDER_GONE, FAULT };

static enum pulled pull(struct context *c, struct record *record, struct receive *receive) {
    struct port *sender = port_of(c->fabric, record->source);
    struct iovec here[MAX_SGE], there[MAX_SGE];
    if (!sender) return SENDER_GONE;
    int heres = vector(here, receive->sge, receive->sges, record->length);
    int theres = vector(there, (struct ibv_sge *)record->data, record->sges, record->length);
    if (copy_across(c->fabric->nodes[sender->node].pid, false, here, heres, there, theres, record->length)) return WHOLE;
    return errno == ESRCH || !is_alive(c, sender->node) ? SENDER_GONE : FAULT;
}

static uint64_t room(struct receive *receive) {
    uint64_t sum = 0;
    for (int i = 0; i < receive->sges; i++) sum += receive->sge[i].length;
    return sum;
}

/* False: not delivered; the queue pair is in error, or the rest of the message will never come. */
static bool deliver(struct queue *q, struct record *record, struct receive *receive) {
    struct context *c = of(q->ibv.context);
    uint32_t length = record->length;
    bool carries = record->kind != NOTICE;
    if (carries && room(receive) < length) return reject(q, receive->id, IBV_WC_LOC_LEN_ERR, IBV_WC_REM_INV_REQ_ERR), false;
    if (carries && !may_access_all(c, receive->sge, receive->sges, q->ibv.pd->handle, IBV_ACCESS_LOCAL_WRITE)) {
        return reject(q, receive->id, IBV_WC_LOC_PROT_ERR, IBV_WC_REM_OP_ERR), false;
    }
    if (strikes(&options.fail_recv)) return reject(q, receive->id, options.fail_status, IBV_WC_REM_OP_ERR), false;
    if (record->kind == COPIED) scatter(receive->sge, receive->sges, record->data, length);
    if (record->kind == PULLED) {
        enum pulled pulled = pull(c, record, receive);
        if (pulled == FAULT) reject(q, receive->id, IBV_WC_GENERAL_ERR, IBV_WC_REM_OP_ERR);
        if (pulled == SENDER_GONE) receives_of(q)->taken--;
        if (pulled != WHOLE) return false;
    }
    struct ibv_wc wc = {.wr_id = receive->id,
                        .opcode = carries ? IBV_WC_RECV : IBV_WC_RECV_RDMA_WITH_IMM,
                        .byte_len = length,
                        .imm_data = record->immediate,
                        .src_qp = record->source,
                        .wc_flags = (record->has_immediate ? IBV_WC_WITH_IMM : 0) | (is_rc(q) ? 0 : IBV_WC_GRH)};
    complete(q->ibv.recv_cq, q, &wc, 0, record->solicited);
    return true;
}

static struct receive *take_receive(struct queue *q) {
    struct srq *srq = (struct srq *)q->ibv.srq;
    struct receives *receives = receives_of(q);
    struct receive *receive = receive_at(receives, receives->taken++);
    if (srq && srq->limit && receives->posted - receives->taken < srq->limit) {
        srq->limit = 0;
        async_event(of(q->ibv.context), IBV_EVENT_SRQ_LIMIT_REACHED, srq);
    }
    return receive;
}

/* A message that had to wait is sent again by its sender: not by one that has given up. */
static bool is_still_sent(struct queue *q, struct record *record) {
    struct context *c = of(q->ibv.context);
    struct port *sender = port_of(c->fabric, record->source);
    return sender && sender->state == IBV_QPS_RTS && is_alive(c, sender->node);
}

/* Whether the receiver has a buffer for it; from now on the sender's patience runs. */
static bool is_ready(struct queue *q, struct record *record) {
    struct port *port = q->port;
    bool waited = port->rnr_since;
    if (receives_of(q)->taken == receives_of(q)->posted) {
        if (!waited) {
            port->rnr_since = now();
            of(q->ibv.context)->counters.rnr++;
        }
        return false;
    }
    if (waited && !is_still_sent(q, record)) return false;
    if (waited) port->rnr_since = 0;
    return true;
}

static void advance(struct queue *q, uint64_t bytes) {
    q->head += bytes;
    atomic_store_explicit(&q->port->head, q->head, memory_order_release);
}

void receive(struct queue *q) {
    struct context *c = of(q->ibv.context);
    struct port *port = q->port;
    uint32_t mask = c->fabric->ring - 1, source = 0;
    /* Bounded: one busy sender must not keep a poll from its other queues. */
    for (int messages = 0; messages < 64; messages++) {
        struct record *record = (struct record *)(q->ring + (q->head & mask));
        if (atomic_load_explicit(&record->mark, memory_order_acquire) != mark(q->head, port->salt)) break;
        if (record->kind == PAD) {
            advance(q, c->fabric->ring - (q->head & mask));
            continue;
        }
        size_t bytes = record->kind == COPIED   ? record->length
                       : record->kind == PULLED ? record->sges * sizeof(struct ibv_sge) : 0;
        if (is_rc(q)) {
            if (!is_ready(q, record)) break;
            if (!deliver(q, record, take_receive(q))) return;
        } else if (receives_of(q)->taken == receives_of(q)->posted) {
            c->counters.datagram_drop++;
        } else if (!deliver(q, record, take_receive(q))) {
            return;
        }
        source = record->source;
        advance(q, record_size(bytes));
    }
    struct port *sender = source ? port_of(c->fabric, source) : 0;
    if (sender && is_rc(q)) wake(c, sender->node); /* it may wait for the acknowledgement */
}
