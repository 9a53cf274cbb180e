/* What both directions need: completions, receives, errors, memory; and polling. It runs under the context's lock. */
#define _GNU_SOURCE
#include "fabric.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* What a store to a doorbell costs where each one leaves the guest. */
void doorbell(void) {
    if (options.doorbell_ns) {
        for (uint64_t end = now() + options.doorbell_ns; now() < end;) { }
    }
}

/* ---- completions ---- */

void disarm(struct cq *cq) {
    struct context *c = of(cq->ibv.context);
    if (cq->armed && !--c->armed) c->node->waiting = 0;
    cq->armed = 0;
}

void complete(struct ibv_cq *ibv, struct queue *q, struct ibv_wc *wc, uint32_t frees, bool solicited) {
    struct cq *cq = (struct cq *)ibv;
    struct context *c = of(ibv->context);
    if (cq->put - cq->got == cq->size) {
        if (!cq->overrun) async_event(c, IBV_EVENT_CQ_ERR, cq);
        cq->overrun = true;
        return;
    }
    wc->qp_num = q->ibv.qp_num;
    cq->entries[cq->put++ & (cq->size - 1)] = (struct completion){*wc, q, frees};
    c->counters.completion++;
    if (cq->armed && (cq->armed == 1 || solicited || wc->status)) {
        disarm(cq);
        c->counters.event++;
        if (ibv->channel && write(((struct channel *)ibv->channel)->out, &cq, sizeof cq) < 0) perror("verbs shim: channel");
    }
}

static enum ibv_wc_opcode opcode_of(struct work *work) {
    switch (work->opcode) {
        case IBV_WR_RDMA_WRITE:
        case IBV_WR_RDMA_WRITE_WITH_IMM: return IBV_WC_RDMA_WRITE;
        case IBV_WR_RDMA_READ: return IBV_WC_RDMA_READ;
        default: return IBV_WC_SEND;
    }
}

void complete_work(struct queue *q, enum ibv_wc_status status) {
    struct work *work = work_at(q, q->done++);
    if (status || work->flags & IBV_SEND_SIGNALED || q->init.sq_sig_all) {
        struct ibv_wc wc = {.wr_id = work->id, .status = status, .opcode = opcode_of(work), .byte_len = work->length};
        complete(q->ibv.send_cq, q, &wc, q->done, false);
    }
}

void forget_completions(struct queue *q) {
    struct ibv_cq *cqs[] = {q->ibv.send_cq, q->ibv.recv_cq};
    for (int i = 0; i < 2; i++) {
        struct cq *cq = (struct cq *)cqs[i];
        uint32_t kept = cq->got;
        for (uint32_t at = cq->got; at != cq->put; at++) {
            struct completion *entry = &cq->entries[at & (cq->size - 1)];
            if (entry->queue != q) cq->entries[kept++ & (cq->size - 1)] = *entry;
        }
        cq->put = kept;
    }
}

/* ---- receives ---- */

void make_receives(struct receives *receives, uint32_t size, uint32_t max_sge) {
    receives->size = 1;
    while (receives->size < size) receives->size *= 2;
    receives->max_sge = max_sge;
    receives->stride = sizeof(struct receive) + max_sge * sizeof(struct ibv_sge);
    receives->slots = malloc((size_t)receives->size * receives->stride);
}

struct receive *receive_at(struct receives *receives, uint32_t position) {
    return (struct receive *)(receives->slots + (size_t)(position & (receives->size - 1)) * receives->stride);
}

static int add_receives(struct context *c, struct receives *receives, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
    c->counters.post_recv++;
    for (; wr; wr = wr->next) {
        bool is_full = receives->posted - receives->taken == receives->size;
        if (is_full || wr->num_sge < 0 || (uint32_t)wr->num_sge > receives->max_sge) {
            *bad = wr;
            return is_full ? ENOMEM : EINVAL;
        }
        struct receive *receive = receive_at(receives, receives->posted);
        receive->id = wr->wr_id;
        receive->sges = wr->num_sge;
        memcpy(receive->sge, wr->sg_list, wr->num_sge * sizeof *wr->sg_list);
        receives->posted++;
        c->counters.recv_wr++;
    }
    return 0;
}

void flush_receives(struct queue *q) {
    while (q->receives.taken != q->receives.posted) {
        struct ibv_wc wc = {.wr_id = receive_at(&q->receives, q->receives.taken++)->id, .status = IBV_WC_WR_FLUSH_ERR,
                            .opcode = IBV_WC_RECV};
        complete(q->ibv.recv_cq, q, &wc, 0, false);
    }
}

int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
    struct queue *q = (struct queue *)qp;
    struct context *c = of(qp->context);
    int error = EINVAL;
    *bad = wr;
    lock(&c->lock);
    if (qp->state != IBV_QPS_RESET && !qp->srq) {
        error = add_receives(c, &q->receives, wr, bad);
        if (qp->state == IBV_QPS_ERR) flush_receives(q);
    }
    doorbell();
    unlock(&c->lock);
    return error;
}

int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
    struct context *c = of(srq->context);
    lock(&c->lock);
    int error = add_receives(c, &((struct srq *)srq)->receives, wr, bad);
    doorbell();
    unlock(&c->lock);
    return error;
}

/* ---- errors ---- */

/* Everything that was posted is given back; the peer, which hears nothing more, runs out of retries. */
void to_error(struct queue *q) {
    q->ibv.state = q->attr.qp_state = IBV_QPS_ERR;
    q->port->state = IBV_QPS_ERR;
    while (q->done != q->posted) complete_work(q, IBV_WC_WR_FLUSH_ERR);
    q->sent = q->done;
    if (q->ibv.srq) async_event(of(q->ibv.context), IBV_EVENT_QP_LAST_WQE_REACHED, q);
    else flush_receives(q);
}

/* The oldest work that is not done ends so, and the queue pair with it. */
void fail(struct queue *q, enum ibv_wc_status status) {
    complete_work(q, status);
    to_error(q);
}

/* ---- memory ---- */

static bool may_access(struct context *c, struct ibv_sge *sge, uint32_t pd, uint32_t access) {
    if (!sge->length) return true;
    struct region *region = region_of(c->fabric, sge->lkey);
    return region && region->node == c->index && region->pd == pd && (region->access & access) == access
           && sge->addr >= region->address && sge->addr + sge->length <= region->address + region->length;
}

bool may_access_all(struct context *c, struct ibv_sge *sge, int count, uint32_t pd, uint32_t access) {
    for (int i = 0; i < count; i++) {
        if (!may_access(c, &sge[i], pd, access)) return false;
    }
    return true;
}

int vector(struct iovec *io, struct ibv_sge *sge, int count, size_t limit) {
    int used = 0;
    for (int i = 0; i < count && limit; i++) {
        size_t length = sge[i].length < limit ? sge[i].length : limit;
        io[used++] = (struct iovec){(void *)(uintptr_t)sge[i].addr, length};
        limit -= length;
    }
    return used;
}

/* Between memory of this process and of another; the kernel moves at most 2 GiB a call, and no message is longer. */
bool copy_across(pid_t pid, bool to_peer, struct iovec *here, int heres, struct iovec *there, int theres, size_t length) {
    if (!length) return true;
    ssize_t moved = to_peer ? process_vm_writev(pid, here, heres, there, theres, 0)
                            : process_vm_readv(pid, here, heres, there, theres, 0);
    if (moved < 0 && errno == EPERM) fprintf(stderr, "verbs shim: process_vm_readv: not permitted on this machine\n");
    return moved == (ssize_t)length;
}

/* Lays bytes out over scattered memory, and tells how many had no room. */
size_t scatter(struct ibv_sge *sge, int count, const char *bytes, size_t length) {
    for (int i = 0; i < count && length; i++) {
        size_t part = sge[i].length < length ? sge[i].length : length;
        memcpy((void *)(uintptr_t)sge[i].addr, bytes, part);
        bytes += part;
        length -= part;
    }
    return length;
}
void progress(struct queue *q) {
    if (q->ibv.state == IBV_QPS_RTS && q->done != q->posted) {
        transmit(q);
        acknowledge(q);
    }
    if ((q->ibv.state == IBV_QPS_RTS || q->ibv.state == IBV_QPS_RTR) && of(q->ibv.context)->node->up) {
        if (atomic_load_explicit(&q->port->poisoned, memory_order_relaxed)) {
            async_event(of(q->ibv.context), IBV_EVENT_QP_ACCESS_ERR, q);
            to_error(q);
            return;
        }
        receive(q);
    }
}

int poll_cq(struct ibv_cq *ibv, int count, struct ibv_wc *wc) {
    struct cq *cq = (struct cq *)ibv;
    struct context *c = of(ibv->context);
    int got = 0;
    lock(&c->lock);
    c->counters.poll++;
    if (cq->put - cq->got < (uint32_t)count) {
        for (int i = 0; i < cq->queue_count; i++) progress(cq->queues[i]);
    }
    while (got < count && cq->got != cq->put) {
        struct completion *entry = &cq->entries[cq->got++ & (cq->size - 1)];
        wc[got++] = entry->wc;
        if (entry->frees) entry->queue->freed = entry->frees;
    }
    if (!got) {
        c->counters.empty_poll++;
        if (options.doorbell_ns && !strcmp(driver(), "vmw_pvrdma")) doorbell();
    }
    unlock(&c->lock);
    return got;
}

int req_notify_cq(struct ibv_cq *ibv, int solicited_only) {
    struct cq *cq = (struct cq *)ibv;
    struct context *c = of(ibv->context);
    lock(&c->lock);
    c->counters.req_notify++;
    if (options.events) {
        if (!cq->armed && !c->armed++) c->node->waiting = 1;
        if (cq->armed != 1) cq->armed = solicited_only ? 2 : 1;
    }
    doorbell();
    unlock(&c->lock);
    return 0;
}
