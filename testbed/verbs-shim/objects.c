/* Completion queues, channels, queue pairs and what belongs to them. */
#define _GNU_SOURCE
#include "fabric.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- completion ---- */

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) return 0;
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    struct channel *channel = calloc(1, sizeof *channel);
    channel->ibv.context = context;
    channel->ibv.fd = ends[0];
    channel->out = ends[1];
    return &channel->ibv;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel) {
    if (channel->refcnt) return EBUSY;
    close(channel->fd);
    close(((struct channel *)channel)->out);
    free(channel);
    return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *user, struct ibv_comp_channel *channel, int vector) {
    struct context *c = of(context);
    if (cqe < 1 || cqe > options.max_cqe || vector) return refuse(EINVAL);
    struct cq *cq = calloc(1, sizeof *cq);
    cq->size = 1;
    while (cq->size < (uint32_t)cqe) cq->size *= 2;
    cq->entries = calloc(cq->size, sizeof *cq->entries);
    cq->queues = calloc(QUEUES, sizeof *cq->queues);
    cq->ibv.context = context;
    cq->ibv.cq_context = user;
    cq->ibv.channel = channel;
    cq->ibv.cqe = cq->size;
    lock(&c->lock);
    if (channel) channel->refcnt++;
    cq->ibv.handle = ++c->handles;
    unlock(&c->lock);
    return &cq->ibv;
}

int ibv_destroy_cq(struct ibv_cq *ibv) {
    struct cq *cq = (struct cq *)ibv;
    if (cq->queue_count) return EBUSY;
    for (int i = 0; i < 5000 && cq->events != cq->acknowledged; i++) usleep(1000);
    if (cq->events != cq->acknowledged) {
        fprintf(stderr, "verbs shim: ibv_destroy_cq would wait for ever for %u events that were got and never acknowledged\n",
                cq->events - cq->acknowledged);
        return EBUSY;
    }
    lock(&of(ibv->context)->lock);
    disarm(cq);
    if (ibv->channel) ibv->channel->refcnt--;
    unlock(&of(ibv->context)->lock);
    free(cq->entries);
    free(cq->queues);
    free(cq);
    return 0;
}

int ibv_resize_cq(struct ibv_cq *cq, int cqe) {
    (void)cq, (void)cqe;
    return EOPNOTSUPP;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **user) {
    struct cq *found;
    if (read(channel->fd, &found, sizeof found) != sizeof found) return -1;
    lock(&of(channel->context)->lock);
    found->events++;
    unlock(&of(channel->context)->lock);
    *cq = &found->ibv;
    *user = found->ibv.cq_context;
    return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int count) {
    lock(&of(cq->context)->lock);
    ((struct cq *)cq)->acknowledged += count;
    unlock(&of(cq->context)->lock);
}

void async_event(struct context *context, enum ibv_event_type type, void *element) {
    struct ibv_async_event event = {.event_type = type};
    event.element.cq = element;
    if (type == IBV_EVENT_PORT_ACTIVE || type == IBV_EVENT_PORT_ERR) event.element.port_num = (int)(intptr_t)element;
    if (write(context->async_out, &event, sizeof event) < 0 && errno != EAGAIN) perror("verbs shim: event");
}

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event) {
    return read(context->async_fd, event, sizeof *event) == sizeof *event ? 0 : -1;
}

void ibv_ack_async_event(struct ibv_async_event *event) { (void)event; }

/* ---- queues ---- */

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *init) {
    if (!options.srq) return refuse(EOPNOTSUPP);
    if (!init->attr.max_wr || init->attr.max_wr > (uint32_t)options.max_qp_wr || init->attr.max_sge > (uint32_t)options.max_sge) {
        return refuse(EINVAL);
    }
    struct srq *srq = calloc(1, sizeof *srq);
    srq->ibv.context = pd->context;
    srq->ibv.srq_context = init->srq_context;
    srq->ibv.pd = pd;
    make_receives(&srq->receives, init->attr.max_wr, init->attr.max_sge ?: 1);
    init->attr.max_wr = srq->receives.size;
    return &srq->ibv;
}

int ibv_modify_srq(struct ibv_srq *ibv, struct ibv_srq_attr *attr, int mask) {
    struct srq *srq = (struct srq *)ibv;
    if (mask & ~(IBV_SRQ_LIMIT)) return EINVAL;
    lock(&of(ibv->context)->lock);
    srq->limit = attr->srq_limit;
    unlock(&of(ibv->context)->lock);
    return 0;
}

int ibv_query_srq(struct ibv_srq *ibv, struct ibv_srq_attr *attr) {
    struct srq *srq = (struct srq *)ibv;
    attr->max_wr = srq->receives.size;
    attr->max_sge = srq->receives.max_sge;
    attr->srq_limit = srq->limit;
    return 0;
}

int ibv_destroy_srq(struct ibv_srq *ibv) {
    struct context *c = of(ibv->context);
    bool used = false;
    lock(&c->lock);
    for (struct queue *q = c->queues; q; q = q->next) used |= q->ibv.srq == ibv;
    unlock(&c->lock);
    if (used) return EBUSY;
    free(((struct srq *)ibv)->receives.slots);
    free(ibv);
    return 0;
}

static void join_cq(struct ibv_cq *ibv, struct queue *queue) {
    struct cq *cq = (struct cq *)ibv;
    cq->queues[cq->queue_count++] = queue;
}

static void leave_cq(struct ibv_cq *ibv, struct queue *queue) {
    struct cq *cq = (struct cq *)ibv;
    for (int i = 0; i < cq->queue_count; i++) {
        if (cq->queues[i] == queue) {
            cq->queues[i] = cq->queues[--cq->queue_count];
            return;
        }
    }
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init) {
    struct context *c = of(pd->context);
    struct ibv_qp_cap *cap = &init->cap;
    if (init->qp_type != IBV_QPT_RC && init->qp_type != IBV_QPT_UD) return refuse(EOPNOTSUPP);
    if (!strcmp(driver(), "vmw_pvrdma")) cap->max_inline_data = 0; /* as its kernel driver does, without a word */
    if (!init->send_cq || !init->recv_cq || cap->max_send_wr > (uint32_t)options.max_qp_wr
        || cap->max_recv_wr > (uint32_t)options.max_qp_wr || cap->max_send_sge > (uint32_t)options.max_sge
        || cap->max_recv_sge > (uint32_t)options.max_sge || cap->max_inline_data > (uint32_t)options.inline_data) {
        return refuse(EINVAL);
    }
    struct port *port = new_port(c);
    if (!port) return refuse(ENOMEM);
    struct queue *q = calloc(1, sizeof *q);
    q->port = port;
    q->ring = ring_of(c->fabric, port);
    q->ibv.context = pd->context;
    q->ibv.qp_context = init->qp_context;
    q->ibv.pd = pd;
    q->ibv.send_cq = init->send_cq;
    q->ibv.recv_cq = init->recv_cq;
    q->ibv.srq = init->srq;
    q->ibv.qp_type = init->qp_type;
    q->ibv.qp_num = port->qpn;
    q->ibv.state = IBV_QPS_RESET;
    port->type = init->qp_type;
    uint32_t wr = 1;
    while (wr < cap->max_send_wr) wr *= 2;
    cap->max_send_wr = wr;
    cap->max_send_sge = cap->max_send_sge ?: 1;
    uint32_t room = cap->max_send_sge * sizeof(struct ibv_sge);
    if (room < cap->max_inline_data) room = cap->max_inline_data;
    q->stride = (offsetof(struct work, sge) + room + LINE - 1) / LINE * LINE;
    q->works = aligned_alloc(LINE, (size_t)q->stride * wr);
    if (init->srq) {
        cap->max_recv_wr = cap->max_recv_sge = 0;
    } else {
        make_receives(&q->receives, cap->max_recv_wr ?: 1, cap->max_recv_sge ?: 1);
        cap->max_recv_wr = q->receives.size;
    }
    q->init = *init;
    q->attr.cap = *cap;
    lock(&c->lock);
    q->ibv.handle = ++c->handles;
    q->next = c->queues;
    c->queues = q;
    join_cq(init->send_cq, q);
    if (init->recv_cq != init->send_cq) join_cq(init->recv_cq, q);
    c->counters.create_qp++;
    unlock(&c->lock);
    return &q->ibv;
}

#define TO_INIT (IBV_QP_PKEY_INDEX | IBV_QP_PORT)
#define TO_RTR \
    (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define TO_RTS (IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)

static bool may_become(struct queue *q, enum ibv_qp_state to, int mask) {
    bool rc = q->ibv.qp_type == IBV_QPT_RC;
    int needed;
    switch (to) {
        case IBV_QPS_RESET:
        case IBV_QPS_ERR: return true;
        case IBV_QPS_INIT:
            needed = TO_INIT | (rc ? IBV_QP_ACCESS_FLAGS : IBV_QP_QKEY);
            return (q->ibv.state == IBV_QPS_RESET && (mask & needed) == needed) || q->ibv.state == IBV_QPS_INIT;
        case IBV_QPS_RTR: return q->ibv.state == IBV_QPS_INIT && (!rc || (mask & TO_RTR) == TO_RTR);
        case IBV_QPS_RTS:
            needed = rc ? TO_RTS : IBV_QP_SQ_PSN;
            return (q->ibv.state == IBV_QPS_RTR && (mask & needed) == needed) || q->ibv.state == IBV_QPS_RTS;
        default: return false;
    }
}

static bool is_reachable_address(struct ibv_ah_attr *ah) {
    return ah->is_global && ah->port_num == 1 && ah->grh.sgid_index < gid_count(); /* RoCE has no LIDs */
}

static void take(struct queue *q, struct ibv_qp_attr *a, int mask) {
    struct port *port = q->port;
    if (mask & IBV_QP_PKEY_INDEX) q->attr.pkey_index = a->pkey_index;
    if (mask & IBV_QP_PORT) q->attr.port_num = a->port_num;
    if (mask & IBV_QP_ACCESS_FLAGS) port->access = q->attr.qp_access_flags = a->qp_access_flags;
    if (mask & IBV_QP_QKEY) port->qkey = q->attr.qkey = a->qkey;
    if (mask & IBV_QP_PATH_MTU) port->mtu = q->attr.path_mtu = a->path_mtu;
    if (mask & IBV_QP_RQ_PSN) port->rq_psn = q->attr.rq_psn = a->rq_psn & 0xffffff;
    if (mask & IBV_QP_SQ_PSN) q->attr.sq_psn = a->sq_psn & 0xffffff;
    if (mask & IBV_QP_DEST_QPN) port->destination = q->attr.dest_qp_num = a->dest_qp_num;
    if (mask & IBV_QP_MIN_RNR_TIMER) port->rnr_timer = q->attr.min_rnr_timer = a->min_rnr_timer;
    if (mask & IBV_QP_TIMEOUT) q->attr.timeout = a->timeout;
    if (mask & IBV_QP_RETRY_CNT) q->attr.retry_cnt = a->retry_cnt;
    if (mask & IBV_QP_RNR_RETRY) q->attr.rnr_retry = a->rnr_retry;
    if (mask & IBV_QP_MAX_QP_RD_ATOMIC) q->attr.max_rd_atomic = a->max_rd_atomic;
    if (mask & IBV_QP_MAX_DEST_RD_ATOMIC) q->attr.max_dest_rd_atomic = a->max_dest_rd_atomic;
    if (mask & IBV_QP_AV) {
        q->attr.ah_attr = a->ah_attr;
        port->sgid = a->ah_attr.grh.sgid_index;
    }
}

static void reset(struct queue *q) {
    q->port->state = IBV_QPS_RESET;
    forget_completions(q);
    q->posted = q->sent = q->done = q->freed = 0;
    q->receives.posted = q->receives.taken = 0;
    q->connected = q->peer_is_dead = q->halted = false;
    q->silent_since = 0;
    q->port->nak = q->port->poisoned = 0;
    q->port->rnr_since = 0;
    lock_ring(of(q->ibv.context), q->port);
    q->port->salt++; /* what was under way to it is no longer for it */
    if (q->ibv.qp_type == IBV_QPT_UD) q->port->head = q->head = q->port->tail;
    q->port->lock = 0;
}

int ibv_modify_qp(struct ibv_qp *ibv, struct ibv_qp_attr *a, int mask) {
    struct queue *q = (struct queue *)ibv;
    struct context *c = of(ibv->context);
    enum ibv_qp_state to = mask & IBV_QP_STATE ? a->qp_state : ibv->state;
    if (mask & IBV_QP_STATE && !may_become(q, to, mask)) return EINVAL;
    if (mask & IBV_QP_AV && (!is_reachable_address(&a->ah_attr))) return EINVAL;
    if (mask & IBV_QP_PORT && a->port_num != 1) return EINVAL;
    if (mask & IBV_QP_PKEY_INDEX && (a->pkey_index > 1 || !((a->pkey_index ? options.pkey2 : options.pkey) & 0x7fff))) return EINVAL;
    if (mask & IBV_QP_PATH_MTU && (a->path_mtu < IBV_MTU_256 || a->path_mtu > mtu_code(options.mtu))) return EINVAL;
    lock(&c->lock);
    take(q, a, mask);
    if (mask & IBV_QP_STATE && to == IBV_QPS_RESET) reset(q);
    if (mask & IBV_QP_STATE && to == IBV_QPS_ERR && ibv->state != IBV_QPS_ERR) to_error(q);
    ibv->state = q->attr.qp_state = to;
    q->port->state = to;
    unlock(&c->lock);
    return 0;
}

int ibv_query_qp(struct ibv_qp *ibv, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init) {
    (void)mask;
    struct queue *q = (struct queue *)ibv;
    lock(&of(ibv->context)->lock);
    *attr = q->attr;
    attr->qp_state = attr->cur_qp_state = ibv->state;
    *init = q->init;
    unlock(&of(ibv->context)->lock);
    return 0;
}

int ibv_destroy_qp(struct ibv_qp *ibv) {
    struct queue *q = (struct queue *)ibv;
    struct context *c = of(ibv->context);
    lock(&c->lock);
    forget_completions(q);
    leave_cq(ibv->send_cq, q);
    if (ibv->recv_cq != ibv->send_cq) leave_cq(ibv->recv_cq, q);
    struct queue **link = &c->queues;
    while (*link != q) link = &(*link)->next;
    *link = q->next;
    q->port->state = IBV_QPS_RESET;
    q->port->qpn = 0; /* its head stays: the acknowledgement of what it received last */
    unlock(&c->lock);
    free(q->works);
    free(q->receives.slots);
    free(q->late);
    free(q);
    return 0;
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr) {
    if (!is_reachable_address(attr)) return refuse(EINVAL);
    struct address *address = calloc(1, sizeof *address);
    address->ibv.context = pd->context;
    address->ibv.pd = pd;
    address->attr = *attr;
    return &address->ibv;
}

int ibv_destroy_ah(struct ibv_ah *ah) {
    free(ah);
    return 0;
}

int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t number, struct ibv_wc *wc, struct ibv_grh *grh,
                        struct ibv_ah_attr *attr) {
    enum ibv_gid_type type;
    bool is_ipv4 = grh->version_tclass_flow == 0; /* its header is in the second half */
    union ibv_gid to = grh->dgid, from = grh->sgid;
    if (!(wc->wc_flags & IBV_WC_GRH)) return EINVAL;
    if (is_ipv4) {
        const uint8_t *header = (uint8_t *)grh + 20;
        memset(&from, 0, sizeof from);
        from.raw[10] = from.raw[11] = 0xff;
        to = from;
        memcpy(from.raw + 12, header + 12, 4);
        memcpy(to.raw + 12, header + 16, 4);
    }
    memset(attr, 0, sizeof *attr);
    attr->is_global = 1;
    attr->port_num = number;
    attr->grh.dgid = from;
    attr->grh.hop_limit = 64;
    for (int i = gid_count() - 1; i >= 0; i--) {
        union ibv_gid mine = gid_at(options.host, of(context)->node->device, i, &type);
        if (!memcmp(&mine, &to, sizeof to) && (!is_ipv4 || type == IBV_GID_TYPE_ROCE_V2)) attr->grh.sgid_index = i;
    }
    return 0;
}

struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t number) {
    struct ibv_ah_attr attr;
    int error = ibv_init_ah_from_wc(pd->context, number, wc, grh, &attr);
    return error ? refuse(error) : ibv_create_ah(pd, &attr);
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp) {
    (void)qp;
    return 0;
}

int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid) {
    (void)qp, (void)gid, (void)lid;
    return EOPNOTSUPP;
}

int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid) { return ibv_attach_mcast(qp, gid, lid); }
int ibv_fork_init(void) { return 0; }
