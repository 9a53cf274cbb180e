/* Devices, ports, GIDs and memory. Checks are those of a kernel and a strict adapter: what passes here passes there. */
#define _GNU_SOURCE
#include "fabric.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#undef ibv_query_port
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

struct context *contexts;
static struct ibv_device *devices;
static int device_count;

void *refuse(int error) {
    errno = error;
    return 0;
}

struct ibv_device **ibv_get_device_list(int *count) {
    static _Atomic uint32_t once;
    if (count) *count = 0;
    if (!load_options()) return refuse(ENOSYS);
    lock(&once);
    if (!devices || strncmp(devices->dev_path, folder, strlen(folder)) || devices->dev_path[strlen(folder)] != '/') {
        device_count = options.devices;
        devices = calloc(device_count, sizeof *devices);
        for (int i = 0; i < device_count; i++) {
            struct ibv_device *d = &devices[i];
            d->node_type = IBV_NODE_CA;
            d->transport_type = IBV_TRANSPORT_IB;
            snprintf(d->name, sizeof d->name, "shim%d", i);
            snprintf(d->dev_name, sizeof d->dev_name, "uverbs%d", i);
            snprintf(d->dev_path, sizeof d->dev_path, "%s/sys/class/infiniband_verbs/uverbs%d", folder, i);
            snprintf(d->ibdev_path, sizeof d->ibdev_path, "%s/sys/class/infiniband/shim%d", folder, i);
            make_sysfs(d, i);
        }
    }
    unlock(&once);
    struct ibv_device **list = calloc(device_count + 1, sizeof *list);
    for (int i = 0; i < device_count; i++) list[i] = &devices[i];
    if (count) *count = device_count;
    return list;
}

void ibv_free_device_list(struct ibv_device **list) { free(list); }
const char *ibv_get_device_name(struct ibv_device *device) { return device->name; }
int ibv_get_device_index(struct ibv_device *device) { return device - devices; }
__be64 ibv_get_device_guid(struct ibv_device *device) {
    return htobe64(0x020000fffe000000ull | (device - devices) << 8 | (options.host + 1));
}

int ibv_read_sysfs_file(const char *base, const char *name, char *buffer, size_t size) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", base, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, buffer, size - 1);
    if (file >= 0) close(file);
    if (length < 0) return -1;
    if (length && buffer[length - 1] == '\n') length--;
    buffer[length] = 0;
    return length;
}

/* ---- the engine: what an adapter does while its program does something else ---- */

static void look_for_dead_peers(struct context *context, struct queue *queue) {
    if (queue->connected && queue->done != queue->posted && !queue->peer_is_dead) {
        queue->peer_is_dead = !is_alive(context, queue->peer->node);
    }
}

static void follow_options(struct context *context) {
    reload_options();
    context->node->up = options.port && !options.silent;
    if (context->active == !!options.port) return;
    context->active = !!options.port;
    make_sysfs(context->ibv.device, context->node->device);
    async_event(context, context->active ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR, (void *)1);
}

static void *engine(void *argument) {
    struct context *context = argument;
    struct pollfd bell = {.fd = context->bell, .events = POLLIN};
    char rings[64];
    uint64_t last = 0;
    while (!context->closing) {
        /* Who is armed and waits must not wait long even where a bell was missed. */
        if (poll(&bell, 1, context->node->waiting ? 1 : 5) > 0) {
            while (recv(context->bell, rings, sizeof rings, 0) > 0) { }
        }
        bool look = now() - last > 5000000;
        if (look) lock(&context->lock);
        else if (!try_lock(&context->lock)) continue; /* the program is at it itself */
        for (struct queue *q = context->queues; q; q = q->next) {
            if (look) look_for_dead_peers(context, q);
            progress(q);
        }
        unlock(&context->lock);
        if (look) {
            follow_options(context);
            last = now();
        }
    }
    return 0;
}

struct ibv_context *ibv_open_device(struct ibv_device *device) {
    static _Atomic uint32_t list;
    struct context *c = calloc(1, sizeof *c);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) || !enter(c, device - devices)) return free(c), (void *)0;
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    c->ibv.device = device;
    c->ibv.async_fd = ends[0];
    c->async_out = ends[1];
    c->ibv.cmd_fd = c->file;
    c->ibv.num_comp_vectors = 1;
    c->active = !!options.port;
    pthread_mutex_init(&c->ibv.mutex, 0);
    c->ibv.ops.post_send = post_send;
    c->ibv.ops.post_recv = post_recv;
    c->ibv.ops.post_srq_recv = post_srq_recv;
    c->ibv.ops.poll_cq = poll_cq;
    c->ibv.ops.req_notify_cq = req_notify_cq;
    lock(&list);
    c->next = contexts;
    contexts = c;
    unlock(&list);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_create(&c->engine, 0, engine, c);
    pthread_sigmask(SIG_SETMASK, &before, 0);
    return &c->ibv;
}

int ibv_close_device(struct ibv_context *context) {
    struct context *c = of(context);
    c->closing = true;
    ring_bell(c, c->index);
    pthread_join(c->engine, 0);
    write_counters();
    leave(c);
    close(c->ibv.async_fd);
    close(c->async_out);
    return 0; /* c stays, for its counters */
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *a) {
    memset(a, 0, sizeof *a);
    strcpy(a->fw_ver, "1.0.0");
    a->node_guid = a->sys_image_guid = ibv_get_device_guid(context->device);
    a->max_mr_size = options.max_mr;
    a->page_size_cap = 4096;
    bool pvrdma = !strcmp(driver(), "vmw_pvrdma");
    a->vendor_id = pvrdma ? 0x15ad : 0x1d0f;
    a->vendor_part_id = pvrdma ? 0x0820 : 0x5348;
    a->max_qp = QUEUES;
    a->max_qp_wr = options.max_qp_wr;
    a->max_sge = a->max_sge_rd = a->max_srq_sge = options.max_sge;
    a->max_cq = a->max_pd = a->max_ah = 65536;
    a->max_cqe = options.max_cqe;
    a->max_mr = KEYS;
    a->max_qp_rd_atom = a->max_qp_init_rd_atom = 16;
    a->max_srq = options.srq ? 1024 : 0;
    a->max_srq_wr = options.srq ? options.max_qp_wr : 0;
    a->max_pkeys = 2;
    a->phys_port_cnt = 1;
    return 0;
}

enum ibv_mtu mtu_code(long bytes) {
    enum ibv_mtu mtu = IBV_MTU_256;
    while (mtu < IBV_MTU_4096 && 128 << (mtu + 1) <= bytes) mtu++;
    return mtu;
}

int ibv_query_port(struct ibv_context *context, uint8_t number, struct _compat_ibv_port_attr *result) {
    (void)context;
    struct ibv_port_attr *a = (struct ibv_port_attr *)result; /* up to member flags */
    if (number != 1) return EINVAL;
    memset(a, 0, offsetof(struct ibv_port_attr, port_cap_flags2));
    a->state = options.port ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
    a->max_mtu = IBV_MTU_4096;
    a->active_mtu = mtu_code(options.mtu);
    a->gid_tbl_len = gid_count();
    a->max_msg_sz = options.max_msg;
    a->pkey_tbl_len = 2;
    a->active_width = 2;
    a->active_speed = 32;
    a->phys_state = options.port ? 5 : 3;
    a->link_layer = IBV_LINK_LAYER_ETHERNET;
    return 0;
}

int ibv_query_gid(struct ibv_context *context, uint8_t number, int index, union ibv_gid *gid) {
    enum ibv_gid_type type;
    if (number != 1 || index < 0 || index >= gid_count()) return errno = EINVAL, -1;
    *gid = gid_at(options.host, context->device - devices, index, &type);
    return 0;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t number, uint32_t index, struct ibv_gid_entry *entry, uint32_t flags,
                      size_t size) {
    enum ibv_gid_type type;
    if (number != 1 || index >= (uint32_t)gid_count() || flags || size < sizeof *entry) return EINVAL;
    entry->gid = gid_at(options.host, context->device - devices, index, &type);
    entry->gid_index = index;
    entry->port_num = 1;
    entry->gid_type = type;
    entry->ndev_ifindex = 1;
    return 0;
}

ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t most, uint32_t flags, size_t size) {
    if ((size_t)gid_count() > most) return -EINVAL;
    for (int i = 0; i < gid_count(); i++) {
        int error = _ibv_query_gid_ex(context, 1, i, (struct ibv_gid_entry *)((char *)entries + i * size), flags, size);
        if (error) return -error;
    }
    return gid_count();
}

int ibv_query_gid_type(struct ibv_context *context, uint8_t number, unsigned int index, int *type) {
    enum ibv_gid_type found;
    if (number != 1 || index >= (unsigned)gid_count()) return errno = EINVAL, -1;
    gid_at(options.host, context->device - devices, index, &found);
    *type = found == IBV_GID_TYPE_ROCE_V2; /* the private enumeration: IB and RoCE v1 are one */
    return 0;
}

int ibv_query_pkey(struct ibv_context *context, uint8_t number, int index, __be16 *pkey) {
    (void)context;
    if (number != 1 || index < 0 || index > 1) return errno = EINVAL, -1;
    *pkey = htons(index ? options.pkey2 : options.pkey);
    return 0;
}

int ibv_get_pkey_index(struct ibv_context *context, uint8_t number, __be16 pkey) {
    (void)context;
    if (number == 1 && pkey == htons(options.pkey)) return 0;
    if (number == 1 && pkey == htons(options.pkey2)) return 1;
    return errno = EINVAL, -1;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) {
    struct ibv_pd *pd = calloc(1, sizeof *pd);
    pd->context = context;
    lock(&of(context)->lock);
    pd->handle = ++of(context)->handles;
    unlock(&of(context)->lock);
    return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd) {
    free(pd);
    return 0;
}

/* ---- memory ---- */

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, unsigned access) {
    struct context *c = of(pd->context);
    bool writes_need_local = access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) && !(access & IBV_ACCESS_LOCAL_WRITE);
    if (!length || length > (size_t)options.max_mr || iova != (uintptr_t)address || writes_need_local) return refuse(EINVAL);
    for (int end = 0; end < 2; end++) { /* the kernel would look at every page */
        char probe;
        struct iovec here = {&probe, 1}, there = {(char *)address + (end ? length - 1 : 0), 1};
        if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != 1) return refuse(EFAULT);
    }
    lock(&c->lock);
    bool locks_too_much = options.memlock && c->registered + length > (uint64_t)options.memlock;
    if (!locks_too_much) c->registered += length;
    c->counters.reg_mr++;
    unlock(&c->lock);
    uint32_t key = locks_too_much ? 0 : new_key(c, (uintptr_t)address, length, access, pd->handle);
    if (!key) return refuse(ENOMEM);
    struct ibv_mr *mr = calloc(1, sizeof *mr);
    mr->context = pd->context;
    mr->pd = pd;
    mr->addr = address;
    mr->length = length;
    mr->handle = mr->lkey = mr->rkey = key;
    return mr;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access) {
    return ibv_reg_mr_iova2(pd, address, length, (uintptr_t)address, access);
}

struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, int access) {
    return ibv_reg_mr_iova2(pd, address, length, iova, access);
}

int ibv_dereg_mr(struct ibv_mr *mr) {
    struct context *c = of(mr->context);
    struct region *region = region_of(c->fabric, mr->lkey);
    if (!region) return EINVAL;
    lock(&c->lock);
    region->key = 0;
    c->registered -= mr->length;
    c->counters.dereg_mr++;
    unlock(&c->lock);
    free(mr);
    return 0;
}

/* ---- texts ---- */

const char *ibv_wc_status_str(enum ibv_wc_status status) {
    static const char *const texts[] = {
        "success", "local length error", "local QP operation error", "local EE context operation error", "local protection error",
        "Work Request Flushed Error", "memory management operation error", "bad response error", "local access error",
        "remote invalid request error", "remote access error", "remote operation error", "transport retry counter exceeded",
        "RNR retry counter exceeded", "local RDD violation error", "remote invalid RD request", "aborted error",
        "invalid EE context number", "invalid EE context state", "fatal error", "response timeout error", "general error"};
    return status < sizeof texts / sizeof *texts ? texts[status] : "unknown";
}

const char *ibv_node_type_str(enum ibv_node_type type) { return type == IBV_NODE_CA ? "InfiniBand channel adapter" : "unknown"; }

const char *ibv_port_state_str(enum ibv_port_state state) {
    static const char *const texts[] = {"no state change (NOP)", "down", "init", "armed", "active", "active defer"};
    return texts[state <= IBV_PORT_ACTIVE_DEFER ? state : 0];
}

const char *ibv_event_type_str(enum ibv_event_type event) {
    switch (event) {
        case IBV_EVENT_CQ_ERR: return "CQ error";
        case IBV_EVENT_QP_ACCESS_ERR: return "local access violation work queue error";
        case IBV_EVENT_PORT_ACTIVE: return "port active";
        case IBV_EVENT_PORT_ERR: return "port error";
        case IBV_EVENT_SRQ_LIMIT_REACHED: return "SRQ limit reached";
        case IBV_EVENT_QP_LAST_WQE_REACHED: return "last WQE reached";
        default: return "unknown";
    }
}
