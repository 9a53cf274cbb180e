/*
 * What QEMU's pvrdma device needs of the machine that it runs on, where that has no RDMA: loaded into QEMU by LD_PRELOAD, it stands in
 * for libibverbs and for the rdmacm-mux daemon. Devices of several QEMUs are connected by Unix datagram sockets, one for each GID, in
 * the folder $FABRIC.
 *
 * As QEMU's device has it: RC and UD, SEND and RECV, shared receive queues. A message waits for its receive for ever (RC; no RNR
 * timeout) or is dropped (UD); a send completes when the peer's socket has taken it. GIDs are those that the guest registers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#undef ibv_query_port
#undef ibv_reg_mr

#define FRAGMENT 32768
#define MAX_SGE 32
#define MAX_GIDS 16
#define GRH 40 /* a global routing header lies before the payload of a datagram */
#define NEW(type) ((type *)calloc(1, sizeof(type)))

struct queue { /* of nodes that begin with their next */
    struct node { struct node *next; } *first, **last;
};
struct receive { struct node node; uint64_t id; int sges; struct ibv_sge sge[MAX_SGE]; };
struct packet_header { uint32_t to, from, length, offset, is_datagram; union ibv_gid source; };
struct message { struct node node; struct packet_header header; struct sockaddr_un peer; struct queue_pair *qp; uint64_t id; uint32_t received; char data[]; };
struct completion { struct node node; struct ibv_wc wc; };
struct channel { struct ibv_comp_channel verbs; int write_end; };
struct completion_queue { struct ibv_cq verbs; struct queue completions; int is_armed; };
struct shared_queue { struct ibv_srq verbs; struct queue receives; struct ibv_srq_attr attributes; };
struct address { struct ibv_ah verbs; struct ibv_ah_attr attributes; };
struct queue_pair {
    struct ibv_qp verbs;
    struct queue_pair *next;
    struct queue receives, waiting; /* posted here; arrived and not yet received */
    struct message *arriving;
    struct ibv_qp_attr attributes;
    struct ibv_qp_init_attr initial;
};

static struct ibv_device device = { .node_type = IBV_NODE_CA, .transport_type = IBV_TRANSPORT_IB, .name = "fabric", .dev_name = "uverbs0" };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that follows */
static pthread_cond_t has_outgoing = PTHREAD_COND_INITIALIZER;
static struct queue_pair *queue_pairs;
static struct queue outgoing;
static union ibv_gid gids[MAX_GIDS] = { { .raw = { 0xfe, 0x80, [15] = 1 } } }; /* the device refuses index 0 */
static int gid_count = 1;
static uint32_t next_handle = 1, next_qp = 0x11;
static int out_socket;

static void enqueue(struct queue *queue, struct node *node) {
    node->next = NULL;
    if (queue->first == NULL) queue->last = &queue->first;
    *queue->last = node;
    queue->last = &node->next;
}

static void *dequeue(struct queue *queue) {
    struct node *node = queue->first;
    if (node != NULL) queue->first = node->next;
    return node;
}

static void clear(struct queue *queue) {
    void *node;
    while ((node = dequeue(queue)) != NULL) free(node);
}

/* ---- completions ---- */

static void notify(struct completion_queue *cq) {
    if (!cq->is_armed || cq->completions.first == NULL || cq->verbs.channel == NULL) return;
    cq->is_armed = 0;
    if (write(((struct channel *)cq->verbs.channel)->write_end, &cq, sizeof cq) < 0) perror("fabric: completion channel");
}

static void complete(struct ibv_cq *cq, const struct ibv_wc *wc) {
    struct completion *completion = NEW(struct completion);
    completion->wc = *wc;
    enqueue(&((struct completion_queue *)cq)->completions, &completion->node);
    notify((struct completion_queue *)cq);
}

static int poll_cq(struct ibv_cq *cq, int limit, struct ibv_wc *wc) {
    int count = 0;
    struct completion *completion;
    pthread_mutex_lock(&lock);
    while (count < limit && (completion = dequeue(&((struct completion_queue *)cq)->completions)) != NULL) {
        wc[count++] = completion->wc;
        free(completion);
    }
    pthread_mutex_unlock(&lock);
    return count;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only) {
    pthread_mutex_lock(&lock);
    ((struct completion_queue *)cq)->is_armed = 1;
    notify((struct completion_queue *)cq);
    pthread_mutex_unlock(&lock);
    return 0;
}

/* ---- in ---- */

static struct queue *receives_of(struct queue_pair *qp) {
    return qp->verbs.srq != NULL ? &((struct shared_queue *)qp->verbs.srq)->receives : &qp->receives;
}

/* Spreads bytes over the receive's memory from an offset on; returns how many there was room for. */
static uint32_t scatter(const struct receive *receive, uint32_t offset, const char *bytes, uint32_t length) {
    uint32_t done = 0;
    for (int i = 0; i < receive->sges && done < length; i++) {
        const struct ibv_sge *sge = &receive->sge[i];
        if (offset >= sge->length) {
            offset -= sge->length;
            continue;
        }
        uint32_t part = sge->length - offset < length - done ? sge->length - offset : length - done;
        memcpy((char *)(uintptr_t)sge->addr + offset, bytes + done, part);
        done += part;
        offset = 0;
    }
    return done;
}

static void receive_message(struct queue_pair *qp, struct receive *receive, struct message *message) {
    struct packet_header *header = &message->header;
    struct ibv_wc wc = { .wr_id = receive->id, .opcode = IBV_WC_RECV, .qp_num = qp->verbs.qp_num, .src_qp = header->from, .byte_len = header->length };
    uint32_t offset = 0;
    if (header->is_datagram) {
        char grh[GRH] = { 0x60 };
        memcpy(grh + 8, &header->source, sizeof header->source);
        offset = scatter(receive, 0, grh, GRH);
        wc.byte_len += GRH;
        wc.wc_flags = IBV_WC_GRH;
    }
    if (scatter(receive, offset, message->data, header->length) < header->length) wc.status = IBV_WC_LOC_LEN_ERR;
    complete(qp->verbs.recv_cq, &wc);
    free(receive);
    free(message);
}

static void match(struct queue_pair *qp) {
    struct queue *receives = receives_of(qp);
    while (qp->waiting.first != NULL && receives->first != NULL) {
        struct receive *receive = dequeue(receives);
        receive_message(qp, receive, dequeue(&qp->waiting));
    }
}

static void packet_arrives(const struct packet_header *header, const char *bytes, uint32_t length) {
    struct queue_pair *qp = queue_pairs;
    while (qp != NULL && qp->verbs.qp_num != header->to) qp = qp->next;
    if (qp == NULL || qp->verbs.state < IBV_QPS_RTR || qp->verbs.state > IBV_QPS_SQD) return;
    if (header->is_datagram != (qp->verbs.qp_type == IBV_QPT_UD)) return;
    if (header->offset == 0) {
        free(qp->arriving);
        qp->arriving = calloc(1, sizeof *qp->arriving + header->length);
        qp->arriving->header = *header;
    }
    struct message *message = qp->arriving;
    if (message == NULL || header->offset != message->received || header->offset + length > message->header.length) return;
    memcpy(message->data + header->offset, bytes, length);
    message->received += length;
    if (message->received < message->header.length) return;
    qp->arriving = NULL;
    if (header->is_datagram && receives_of(qp)->first == NULL) {
        free(message);
        return;
    }
    enqueue(&qp->waiting, &message->node);
    match(qp);
}

static void *receive_packets(void *argument) {
    int in_socket = (int)(intptr_t)argument;
    static __thread char packet[sizeof(struct packet_header) + FRAGMENT];
    for (;;) {
        ssize_t size = recv(in_socket, packet, sizeof packet, 0);
        if (size < (ssize_t)sizeof(struct packet_header)) continue;
        pthread_mutex_lock(&lock);
        packet_arrives((struct packet_header *)packet, packet + sizeof(struct packet_header), size - sizeof(struct packet_header));
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static int post(struct queue *receives, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
    for (; wr != NULL; wr = wr->next) {
        if (wr->num_sge > MAX_SGE) {
            *bad = wr;
            return EINVAL;
        }
        struct receive *receive = NEW(struct receive);
        receive->id = wr->wr_id;
        receive->sges = wr->num_sge;
        memcpy(receive->sge, wr->sg_list, wr->num_sge * sizeof *wr->sg_list);
        enqueue(receives, &receive->node);
    }
    return 0;
}

static int post_recv(struct ibv_qp *verbs, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
    struct queue_pair *qp = (struct queue_pair *)verbs;
    pthread_mutex_lock(&lock);
    int error = post(&qp->receives, wr, bad);
    match(qp);
    pthread_mutex_unlock(&lock);
    return error;
}

static int post_srq_recv(struct ibv_srq *verbs, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
    pthread_mutex_lock(&lock);
    int error = post(&((struct shared_queue *)verbs)->receives, wr, bad);
    for (struct queue_pair *qp = queue_pairs; qp != NULL; qp = qp->next)
        if (qp->verbs.srq == verbs) match(qp);
    pthread_mutex_unlock(&lock);
    return error;
}

/* ---- out ---- */

static void socket_of(struct sockaddr_un *address, const union ibv_gid *gid) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    int length = snprintf(address->sun_path, 64, "%s/", getenv("FABRIC") != NULL ? getenv("FABRIC") : ".");
    for (int i = 0; i < 16; i++) length += sprintf(address->sun_path + length, "%02x", gid->raw[i]);
}

static int post_send(struct ibv_qp *verbs, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {
    struct queue_pair *qp = (struct queue_pair *)verbs;
    for (; wr != NULL; wr = wr->next) {
        if (wr->opcode != IBV_WR_SEND) {
            *bad = wr;
            return EINVAL;
        }
        uint32_t length = 0;
        for (int i = 0; i < wr->num_sge; i++) length += wr->sg_list[i].length;
        struct message *message = calloc(1, sizeof *message + length);
        for (uint32_t i = 0, offset = 0; i < (uint32_t)wr->num_sge; offset += wr->sg_list[i++].length)
            memcpy(message->data + offset, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
        int is_datagram = verbs->qp_type == IBV_QPT_UD;
        const struct ibv_ah_attr *to = is_datagram ? &((struct address *)wr->wr.ud.ah)->attributes : &qp->attributes.ah_attr;
        pthread_mutex_lock(&lock);
        message->header = (struct packet_header){ .from = verbs->qp_num, .length = length, .is_datagram = is_datagram };
        message->header.to = is_datagram ? wr->wr.ud.remote_qpn : qp->attributes.dest_qp_num;
        message->header.source = gids[to->grh.sgid_index < gid_count ? to->grh.sgid_index : 0];
        message->qp = qp;
        message->id = wr->wr_id;
        socket_of(&message->peer, &to->grh.dgid);
        enqueue(&outgoing, &message->node);
        pthread_cond_signal(&has_outgoing);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

/* Returns whether the peer's socket has taken it. */
static int transmit(struct message *message) {
    struct packet_header *header = &message->header;
    do {
        uint32_t part = header->length - header->offset < FRAGMENT ? header->length - header->offset : FRAGMENT;
        struct iovec parts[] = { { header, sizeof *header }, { message->data + header->offset, part } };
        struct msghdr packet = { .msg_name = &message->peer, .msg_namelen = sizeof message->peer, .msg_iov = parts, .msg_iovlen = 2 };
        if (sendmsg(out_socket, &packet, MSG_NOSIGNAL) < 0) return 0;
        header->offset += part;
    } while (header->offset < header->length);
    return 1;
}

/* Not the device's thread: a peer that is stopped takes nothing, and only its peers' messages wait for it. */
static void *send_messages(void *none) {
    for (;;) {
        pthread_mutex_lock(&lock);
        struct message *message;
        while ((message = dequeue(&outgoing)) == NULL) pthread_cond_wait(&has_outgoing, &lock);
        pthread_mutex_unlock(&lock);
        int is_sent = transmit(message);
        pthread_mutex_lock(&lock);
        struct queue_pair *qp = queue_pairs;
        while (qp != NULL && qp != message->qp) qp = qp->next;
        if (qp != NULL) {
            struct ibv_wc wc = { .wr_id = message->id, .opcode = IBV_WC_SEND, .qp_num = qp->verbs.qp_num, .byte_len = message->header.length };
            wc.status = is_sent || message->header.is_datagram ? IBV_WC_SUCCESS : IBV_WC_RETRY_EXC_ERR;
            complete(qp->verbs.send_cq, &wc);
        }
        pthread_mutex_unlock(&lock);
        free(message);
    }
    return NULL;
}

/* ---- rdmacm-mux, which QEMU registers the guest's GIDs with; it carries no connection management between guests ---- */

struct mux_message { uint32_t type, operation; union ibv_gid gid; uint32_t error; char rest[332]; };
enum { MUX_REQUEST = 0, MUX_RESPONSE = 1, MUX_REGISTER = 0, MUX_UNREGISTER = 1, MUX_MAD = 2, MUX_NOT_FOUND = 4 };

static void register_gid(const union ibv_gid *gid) {
    struct sockaddr_un address;
    pthread_t thread;
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < gid_count && memcmp(&gids[i], gid, sizeof *gid) != 0) i++;
    if (i == gid_count && gid_count < MAX_GIDS) {
        socket_of(&address, gid);
        unlink(address.sun_path);
        int in_socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (bind(in_socket, (struct sockaddr *)&address, sizeof address) != 0) perror("fabric: bind");
        gids[gid_count++] = *gid;
        pthread_create(&thread, NULL, receive_packets, (void *)(intptr_t)in_socket);
    }
    pthread_mutex_unlock(&lock);
}

static void *serve_mux(void *argument) {
    int listener = (int)(intptr_t)argument;
    int connection = accept(listener, NULL, NULL);
    struct mux_message message;
    while (recv(connection, &message, sizeof message, MSG_WAITALL) == sizeof message) {
        if (message.type != MUX_REQUEST) continue;
        if (message.operation == MUX_REGISTER) register_gid(&message.gid);
        message.type = MUX_RESPONSE;
        message.error = message.operation == MUX_MAD ? MUX_NOT_FOUND : 0;
        if (send(connection, &message, sizeof message, MSG_NOSIGNAL) < 0) break;
    }
    return NULL;
}

/* Before QEMU's main: it connects to the mux at once. */
__attribute__((constructor)) static void start(void) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const char *path = getenv("FABRIC_MUX");
    pthread_t thread;
    if (path == NULL) return;
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    unlink(path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0) perror("fabric: mux");
    pthread_create(&thread, NULL, serve_mux, (void *)(intptr_t)listener);
}

/* ---- control verbs ---- */

struct ibv_device **ibv_get_device_list(int *count) {
    struct ibv_device **list = calloc(2, sizeof *list);
    list[0] = &device;
    if (count != NULL) *count = 1;
    return list;
}
void ibv_free_device_list(struct ibv_device **list) { free(list); }
const char *ibv_get_device_name(struct ibv_device *it) { return it->name; }

struct ibv_context *ibv_open_device(struct ibv_device *it) {
    struct ibv_context *context = NEW(struct ibv_context);
    int size = 4 << 20;
    pthread_t thread;
    context->device = it;
    context->num_comp_vectors = 1;
    context->cmd_fd = context->async_fd = -1;
    context->ops.post_send = post_send;
    context->ops.post_recv = post_recv;
    context->ops.post_srq_recv = post_srq_recv;
    context->ops.poll_cq = poll_cq;
    context->ops.req_notify_cq = req_notify_cq;
    out_socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    setsockopt(out_socket, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    pthread_create(&thread, NULL, send_messages, NULL);
    return context;
}
int ibv_close_device(struct ibv_context *context) { return 0; }

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *a) {
    *a = (struct ibv_device_attr){ .max_mr_size = 1ull << 40, .page_size_cap = 4096, .max_qp = 65536, .max_qp_wr = 16384,
        .max_sge = MAX_SGE, .max_cq = 65536, .max_cqe = 65536, .max_mr = 65536, .max_pd = 65536, .max_qp_rd_atom = 16,
        .max_qp_init_rd_atom = 16, .max_ah = 65536, .max_srq = 65536, .max_srq_wr = 16384, .max_srq_sge = MAX_SGE,
        .max_pkeys = 1, .phys_port_cnt = 1 };
    return 0;
}

int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attributes) {
    struct ibv_port_attr *a = (struct ibv_port_attr *)attributes;
    a->state = IBV_PORT_ACTIVE;
    a->max_mtu = IBV_MTU_4096;
    a->active_mtu = IBV_MTU_1024;
    a->gid_tbl_len = MAX_GIDS;
    a->max_msg_sz = 1 << 30;
    a->pkey_tbl_len = 1;
    a->active_width = a->active_speed = 1;
    a->phys_state = 5;
    a->link_layer = IBV_LINK_LAYER_ETHERNET;
    return 0;
}

int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid) {
    pthread_mutex_lock(&lock);
    int error = index < gid_count ? 0 : -1;
    if (error == 0) *gid = gids[index];
    pthread_mutex_unlock(&lock);
    return error;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) {
    struct ibv_pd *pd = NEW(struct ibv_pd);
    pd->context = context;
    pd->handle = next_handle++;
    return pd;
}
int ibv_dealloc_pd(struct ibv_pd *pd) { free(pd); return 0; }

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access) {
    struct ibv_mr *mr = NEW(struct ibv_mr);
    *mr = (struct ibv_mr){ .context = pd->context, .pd = pd, .addr = address, .length = length };
    mr->handle = mr->lkey = mr->rkey = next_handle++;
    return mr;
}
struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, unsigned access) {
    return ibv_reg_mr(pd, address, length, access);
}
int ibv_dereg_mr(struct ibv_mr *mr) { free(mr); return 0; }

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context) {
    int ends[2];
    if (pipe(ends) != 0) return NULL;
    struct channel *channel = NEW(struct channel);
    channel->verbs.context = context;
    channel->verbs.fd = ends[0];
    channel->write_end = ends[1];
    return &channel->verbs;
}
int ibv_destroy_comp_channel(struct ibv_comp_channel *channel) {
    close(channel->fd);
    close(((struct channel *)channel)->write_end);
    free(channel);
    return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int size, void *cq_context, struct ibv_comp_channel *channel, int vector) {
    struct completion_queue *cq = NEW(struct completion_queue);
    cq->verbs.context = context;
    cq->verbs.channel = channel;
    cq->verbs.cq_context = cq_context;
    cq->verbs.cqe = size;
    cq->verbs.handle = next_handle++;
    return &cq->verbs;
}
int ibv_destroy_cq(struct ibv_cq *cq) { return 0; /* not freed: the channel may still have an event that names it */ }
int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context) {
    if (read(channel->fd, cq, sizeof *cq) != sizeof *cq) return -1;
    *cq_context = (*cq)->cq_context;
    return 0;
}
void ibv_ack_cq_events(struct ibv_cq *cq, unsigned count) {}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *initial) {
    struct queue_pair *qp = NEW(struct queue_pair);
    qp->verbs.context = pd->context;
    qp->verbs.pd = pd;
    qp->verbs.send_cq = initial->send_cq;
    qp->verbs.recv_cq = initial->recv_cq;
    qp->verbs.srq = initial->srq;
    qp->verbs.qp_type = initial->qp_type;
    qp->initial = *initial;
    pthread_mutex_lock(&lock);
    qp->verbs.qp_num = qp->verbs.handle = next_qp++;
    qp->next = queue_pairs;
    queue_pairs = qp;
    pthread_mutex_unlock(&lock);
    return &qp->verbs;
}

int ibv_modify_qp(struct ibv_qp *verbs, struct ibv_qp_attr *attributes, int mask) {
    struct queue_pair *qp = (struct queue_pair *)verbs;
    struct ibv_qp_attr *ours = &qp->attributes;
    pthread_mutex_lock(&lock);
    if (mask & IBV_QP_AV) ours->ah_attr = attributes->ah_attr;
    if (mask & IBV_QP_DEST_QPN) ours->dest_qp_num = attributes->dest_qp_num;
    if (mask & IBV_QP_PATH_MTU) ours->path_mtu = attributes->path_mtu;
    if (mask & IBV_QP_RQ_PSN) ours->rq_psn = attributes->rq_psn;
    if (mask & IBV_QP_SQ_PSN) ours->sq_psn = attributes->sq_psn;
    if (mask & IBV_QP_STATE) verbs->state = ours->qp_state = attributes->qp_state;
    pthread_mutex_unlock(&lock);
    return 0;
}

int ibv_query_qp(struct ibv_qp *verbs, struct ibv_qp_attr *attributes, int mask, struct ibv_qp_init_attr *initial) {
    struct queue_pair *qp = (struct queue_pair *)verbs;
    *attributes = qp->attributes;
    attributes->cap = qp->initial.cap;
    *initial = qp->initial;
    return 0;
}

int ibv_destroy_qp(struct ibv_qp *verbs) {
    struct queue_pair *qp = (struct queue_pair *)verbs;
    pthread_mutex_lock(&lock);
    struct queue_pair **link = &queue_pairs;
    while (*link != NULL && *link != qp) link = &(*link)->next;
    if (*link != NULL) *link = qp->next;
    pthread_mutex_unlock(&lock);
    clear(&qp->receives);
    clear(&qp->waiting);
    free(qp->arriving);
    free(qp);
    return 0;
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attributes) {
    struct address *address = NEW(struct address);
    address->verbs.context = pd->context;
    address->verbs.pd = pd;
    address->attributes = *attributes;
    return &address->verbs;
}
int ibv_destroy_ah(struct ibv_ah *address) { free(address); return 0; }

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *initial) {
    struct shared_queue *srq = NEW(struct shared_queue);
    srq->verbs.context = pd->context;
    srq->verbs.pd = pd;
    srq->verbs.handle = next_handle++;
    srq->attributes = initial->attr;
    return &srq->verbs;
}
int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attributes, int mask) {
    ((struct shared_queue *)srq)->attributes.srq_limit = attributes->srq_limit;
    return 0;
}
int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attributes) {
    *attributes = ((struct shared_queue *)srq)->attributes;
    return 0;
}
int ibv_destroy_srq(struct ibv_srq *srq) {
    clear(&((struct shared_queue *)srq)->receives);
    free(srq);
    return 0;
}
