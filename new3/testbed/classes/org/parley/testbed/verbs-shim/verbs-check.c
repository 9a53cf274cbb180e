/* verbs-check CASE: whether what is loaded as libibverbs keeps the rules that the tests rely on. Exit code 0: it does. */
#define _GNU_SOURCE
#include <errno.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SIZE 65536

int verbs_shim_set(const char *name, long value);
long verbs_shim_get(const char *name);

#define EXPECT(condition) expect(condition, #condition, __LINE__)

static void expect(int holds, const char *what, int line) {
    if (holds) return;
    fprintf(stderr, "line %d: not so: %s (errno %d)\n", line, what, errno);
    exit(1);
}

/* One end of a connection; both are in this process, each with a context of its own. */
struct end {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_cq *cq;
    struct ibv_comp_channel *channel;
    struct ibv_srq *srq;
    struct ibv_qp *qp;
    struct ibv_mr *mr;
    char *memory;
    union ibv_gid gid;
};

static struct end a, b;
static int retries = 1, timeout = 10, rnr_retries = 7;

static struct end make(enum ibv_qp_type type, int has_srq) {
    struct end end = {0};
    end.context = ibv_open_device(ibv_get_device_list(0)[0]);
    EXPECT(end.context != 0);
    end.pd = ibv_alloc_pd(end.context);
    end.channel = ibv_create_comp_channel(end.context);
    end.cq = ibv_create_cq(end.context, 256, &a, end.channel, 0);
    end.memory = calloc(1, SIZE);
    end.mr = ibv_reg_mr(end.pd, end.memory, SIZE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE);
    EXPECT(end.mr != 0);
    struct ibv_srq_init_attr srq = {.attr = {.max_wr = 64, .max_sge = 2}};
    if (has_srq) EXPECT((end.srq = ibv_create_srq(end.pd, &srq)) != 0);
    struct ibv_qp_init_attr init = {.send_cq = end.cq, .recv_cq = end.cq, .srq = end.srq, .qp_type = type,
                                    .cap = {.max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 2, .max_recv_sge = 2}};
    EXPECT((end.qp = ibv_create_qp(end.pd, &init)) != 0);
    EXPECT(!ibv_query_gid(end.context, 1, 0, &end.gid));
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 7,
                               .qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE};
    EXPECT(!ibv_modify_qp(end.qp, &attr, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX
                          | (type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)));
    return end;
}

static int to_rtr(struct end *end, struct end *to, uint32_t psn) {
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = to->qp->qp_num, .rq_psn = psn,
                               .max_dest_rd_atomic = 1, .min_rnr_timer = 10,
                               .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = to->gid}}};
    return ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN
                         | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static int to_rts(struct end *end) {
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS, .timeout = timeout, .retry_cnt = retries, .rnr_retry = rnr_retries,
                               .sq_psn = 5, .max_rd_atomic = 1};
    return ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN
                         | IBV_QP_MAX_QP_RD_ATOMIC);
}

static void connect_psn(int has_srq, uint32_t psn) {
    a = make(IBV_QPT_RC, 0);
    b = make(IBV_QPT_RC, has_srq);
    EXPECT(!to_rtr(&a, &b, 5) && !to_rtr(&b, &a, psn) && !to_rts(&a) && !to_rts(&b));
}

static void connect_both(int has_srq) { connect_psn(has_srq, 5); }

static int send(struct end *end, enum ibv_wr_opcode opcode, uint64_t id, uint32_t length, int flags) {
    struct ibv_sge sge = {(uintptr_t)end->memory, length, end->mr->lkey};
    struct ibv_send_wr wr = {.wr_id = id, .opcode = opcode, .sg_list = &sge, .num_sge = 1, .send_flags = flags, .imm_data = 77},
                       *bad;
    struct end *to = end == &a ? &b : &a;
    wr.wr.rdma.remote_addr = (uintptr_t)to->memory;
    wr.wr.rdma.rkey = to->mr->rkey;
    return ibv_post_send(end->qp, &wr, &bad);
}

static int receive(struct end *end, uint64_t id, uint32_t length) {
    struct ibv_sge sge = {(uintptr_t)end->memory, length, end->mr->lkey};
    struct ibv_recv_wr wr = {.wr_id = id, .sg_list = &sge, .num_sge = 1}, *bad;
    return end->srq ? ibv_post_srq_recv(end->srq, &wr, &bad) : ibv_post_recv(end->qp, &wr, &bad);
}

static struct ibv_wc await(struct end *end) {
    struct ibv_wc wc = {0};
    for (time_t begin = time(0); !ibv_poll_cq(end->cq, 1, &wc); sched_yield()) EXPECT(time(0) - begin < 30);
    return wc;
}

static void expect_wc(struct end *end, uint64_t id, enum ibv_wc_status status) {
    struct ibv_wc wc = await(end);
    if (wc.wr_id == id && wc.status == status) return;
    fprintf(stderr, "expected %lu %s, got %lu %s\n", id, ibv_wc_status_str(status), wc.wr_id, ibv_wc_status_str(wc.status));
    exit(1);
}

static void pass_messages(int has_srq) {
    connect_both(has_srq);
    uint32_t lengths[] = {0, 1, 40, 41, 4096, 16384, 16385, SIZE};
    for (unsigned i = 0; i < 400; i++) {
        uint32_t length = lengths[i % 8];
        memset(a.memory, i, SIZE);
        memset(b.memory, 0xff, SIZE);
        EXPECT(!receive(&b, i, SIZE) && !send(&a, IBV_WR_SEND_WITH_IMM, i, length, IBV_SEND_SIGNALED));
        struct ibv_wc wc = await(&b);
        EXPECT(wc.wr_id == i && !wc.status && wc.byte_len == length && wc.opcode == IBV_WC_RECV && wc.imm_data == 77);
        EXPECT(wc.wc_flags == IBV_WC_WITH_IMM && wc.qp_num == b.qp->qp_num && wc.src_qp == a.qp->qp_num);
        for (uint32_t k = 0; k < length; k++) EXPECT(b.memory[k] == (char)i);
        EXPECT(length == SIZE || b.memory[length] == (char)0xff);
        expect_wc(&a, i, IBV_WC_SUCCESS);
    }
    EXPECT(!verbs_shim_get("rnr"));
}

static void messages(void) { pass_messages(0); }
static void shared_receives(void) { pass_messages(1); }

static void rdma(void) {
    connect_both(0);
    strcpy(a.memory, "written");
    EXPECT(!send(&a, IBV_WR_RDMA_WRITE, 1, 8, IBV_SEND_SIGNALED));
    expect_wc(&a, 1, IBV_WC_SUCCESS);
    EXPECT(!strcmp(b.memory, "written"));
    strcpy(b.memory, "read");
    EXPECT(!send(&a, IBV_WR_RDMA_READ, 2, 8, IBV_SEND_SIGNALED));
    EXPECT(await(&a).opcode == IBV_WC_RDMA_READ && !strcmp(a.memory, "read"));
    EXPECT(!receive(&b, 9, 0) && !send(&a, IBV_WR_RDMA_WRITE_WITH_IMM, 3, 8, 0));
    struct ibv_wc wc = await(&b);
    EXPECT(wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM && wc.byte_len == 8 && wc.wr_id == 9);
}

static void without_rdma(void) {
    verbs_shim_set("rdma", 0);
    connect_both(0);
    strcpy(a.memory, "sent");
    EXPECT(!receive(&b, 9, SIZE) && !send(&a, IBV_WR_RDMA_WRITE, 1, 8, IBV_SEND_SIGNALED));
    EXPECT(await(&b).opcode == IBV_WC_RECV && await(&a).opcode == IBV_WC_SEND);
}

static void stale_key(void) {
    connect_both(0);
    uint32_t key = b.mr->rkey;
    EXPECT(!ibv_dereg_mr(b.mr));
    b.mr = ibv_reg_mr(b.pd, b.memory, SIZE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    EXPECT(b.mr->rkey != key);
    b.mr->rkey = key;
    EXPECT(!receive(&b, 4, SIZE));
    EXPECT(!send(&a, IBV_WR_RDMA_WRITE, 1, 8, 0) && !send(&a, IBV_WR_SEND, 2, 8, 0));
    expect_wc(&a, 1, IBV_WC_REM_ACCESS_ERR);
    expect_wc(&a, 2, IBV_WC_WR_FLUSH_ERR);
    expect_wc(&b, 4, IBV_WC_WR_FLUSH_ERR);
    EXPECT(a.qp->state == IBV_QPS_ERR && b.qp->state == IBV_QPS_ERR);
}

static void foreign_memory(void) {
    connect_both(0);
    EXPECT(!ibv_dereg_mr(a.mr));
    EXPECT(!send(&a, IBV_WR_SEND, 1, 8, 0));
    expect_wc(&a, 1, IBV_WC_LOC_PROT_ERR);
}

static void short_receive(void) {
    connect_both(0);
    EXPECT(!receive(&b, 4, 8) && !send(&a, IBV_WR_SEND, 1, 9, 0));
    expect_wc(&b, 4, IBV_WC_LOC_LEN_ERR);
    expect_wc(&a, 1, IBV_WC_REM_INV_REQ_ERR);
}

static void receiver_not_ready(void) {
    connect_both(0);
    EXPECT(!send(&a, IBV_WR_SEND, 1, 8, IBV_SEND_SIGNALED));
    struct ibv_wc wc;
    while (!verbs_shim_get("rnr")) EXPECT(!ibv_poll_cq(b.cq, 1, &wc));
    EXPECT(!ibv_poll_cq(a.cq, 1, &wc));
    EXPECT(!receive(&b, 4, 8));
    expect_wc(&b, 4, IBV_WC_SUCCESS);
    expect_wc(&a, 1, IBV_WC_SUCCESS);
}

static void rnr_retries_end(void) {
    rnr_retries = 1;
    connect_both(0);
    EXPECT(!send(&a, IBV_WR_SEND, 1, 8, 0));
    expect_wc(&a, 1, IBV_WC_RNR_RETRY_EXC_ERR);
    EXPECT(!receive(&b, 4, 8)); /* too late */
    struct ibv_wc wc;
    for (int i = 0; i < 1000; i++) EXPECT(!ibv_poll_cq(b.cq, 1, &wc));
}

static void wrong_psn(void) {
    connect_psn(0, 6);
    EXPECT(!receive(&b, 4, 8) && !send(&a, IBV_WR_SEND, 1, 8, 0));
    expect_wc(&a, 1, IBV_WC_RETRY_EXC_ERR);
}

static void peer_in_error(void) {
    connect_both(0);
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
    EXPECT(!receive(&b, 4, 8) && !ibv_modify_qp(b.qp, &attr, IBV_QP_STATE));
    expect_wc(&b, 4, IBV_WC_WR_FLUSH_ERR);
    EXPECT(!send(&a, IBV_WR_SEND, 1, 8, 0) && !send(&a, IBV_WR_SEND, 2, 8, 0));
    expect_wc(&a, 1, IBV_WC_RETRY_EXC_ERR);
    expect_wc(&a, 2, IBV_WC_WR_FLUSH_ERR);
}

static void reset_and_again(void) {
    peer_in_error();
    struct ibv_qp_attr reset = {.qp_state = IBV_QPS_RESET},
                       init = {.qp_state = IBV_QPS_INIT, .port_num = 1};
    struct end *ends[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        EXPECT(!ibv_modify_qp(ends[i]->qp, &reset, IBV_QP_STATE));
        EXPECT(!ibv_modify_qp(ends[i]->qp, &init, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS));
    }
    EXPECT(!to_rtr(&a, &b, 5) && !to_rtr(&b, &a, 5) && !to_rts(&a) && !to_rts(&b));
    EXPECT(!receive(&b, 6, 8) && !send(&a, IBV_WR_SEND, 5, 8, IBV_SEND_SIGNALED));
    expect_wc(&b, 6, IBV_WC_SUCCESS);
    expect_wc(&a, 5, IBV_WC_SUCCESS);
}

/* The peer is another process, and is killed. */
static void peer_is_killed(void) {
    int to_child[2], to_parent[2];
    EXPECT(!pipe(to_child) && !pipe(to_parent));
    pid_t child = fork();
    int in = child ? to_parent[0] : to_child[0], out = child ? to_child[1] : to_parent[1];
    a = make(IBV_QPT_RC, 0);
    struct ibv_qp other;
    b.qp = &other;
    b.gid = a.gid;
    EXPECT(write(out, &a.qp->qp_num, 4) == 4 && read(in, &other.qp_num, 4) == 4);
    b.mr = a.mr;
    EXPECT(!receive(&a, 4, 8) && !to_rtr(&a, &b, 5) && !to_rts(&a));
    EXPECT(write(out, "", 1) == 1 && read(in, &(char){0}, 1) == 1);
    if (!child) pause();
    EXPECT(!send(&a, IBV_WR_SEND, 1, 8, IBV_SEND_SIGNALED));
    expect_wc(&a, 1, IBV_WC_SUCCESS); /* acknowledged without a poll by its program */
    kill(child, SIGKILL);
    waitpid(child, 0, 0);
    EXPECT(!send(&a, IBV_WR_SEND, 2, 8, 0));
    expect_wc(&a, 2, IBV_WC_RETRY_EXC_ERR);
    expect_wc(&a, 4, IBV_WC_WR_FLUSH_ERR);
}

static void send_queue_fills(void) {
    connect_both(0);
    for (int i = 0; i < 16; i++) EXPECT(!receive(&b, i, 8) && !send(&a, IBV_WR_SEND, i, 8, i == 15 ? IBV_SEND_SIGNALED : 0));
    for (int i = 0; i < 16; i++) expect_wc(&b, i, IBV_WC_SUCCESS);
    EXPECT(send(&a, IBV_WR_SEND, 16, 8, 0) == ENOMEM); /* done, but nobody has seen its completion */
    expect_wc(&a, 15, IBV_WC_SUCCESS);
    EXPECT(!send(&a, IBV_WR_SEND, 16, 8, 0));
}

static void wrong_states(void) {
    a = make(IBV_QPT_RC, 0);
    b = make(IBV_QPT_RC, 0);
    EXPECT(send(&a, IBV_WR_SEND, 1, 8, 0) == EINVAL);
    EXPECT(to_rts(&a) == EINVAL);
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR};
    EXPECT(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE) == EINVAL);
    EXPECT(!receive(&a, 1, 8));
}

static void limits(void) {
    verbs_shim_set("max_mr", SIZE);
    verbs_shim_set("srq", 0);
    verbs_shim_set("memlock", 3 * SIZE);
    connect_both(0);
    EXPECT(!ibv_reg_mr(a.pd, a.memory, SIZE + 1, 0) && errno == EINVAL);
    EXPECT(ibv_reg_mr(a.pd, a.memory, SIZE, 0) != 0);
    EXPECT(ibv_reg_mr(a.pd, a.memory, SIZE, 0) != 0);
    EXPECT(!ibv_reg_mr(a.pd, a.memory, SIZE, 0) && errno == ENOMEM);
    EXPECT(!ibv_reg_mr(a.pd, (void *)4096, 4096, 0) && errno == EFAULT);
    struct ibv_srq_init_attr srq = {.attr = {.max_wr = 64, .max_sge = 1}};
    EXPECT(!ibv_create_srq(a.pd, &srq));
}

static void events(void) {
    connect_both(0);
    struct ibv_cq *cq;
    void *user;
    for (int i = 0; i < 100; i++) {
        EXPECT(!receive(&b, i, 8) && !ibv_req_notify_cq(b.cq, 0));
        struct pollfd fd = {.fd = b.channel->fd, .events = POLLIN};
        EXPECT(poll(&fd, 1, 0) == 0);
        EXPECT(!send(&a, IBV_WR_SEND, i, 8, IBV_SEND_SIGNALED));
        EXPECT(poll(&fd, 1, 30000) == 1);
        EXPECT(!ibv_get_cq_event(b.channel, &cq, &user) && cq == b.cq);
        ibv_ack_cq_events(cq, 1);
        expect_wc(&b, i, IBV_WC_SUCCESS);
        expect_wc(&a, i, IBV_WC_SUCCESS);
    }
}

static void without_events(void) {
    verbs_shim_set("events", 0);
    connect_both(0);
    EXPECT(!receive(&b, 1, 8) && !ibv_req_notify_cq(b.cq, 0) && !send(&a, IBV_WR_SEND, 1, 8, 0));
    expect_wc(&b, 1, IBV_WC_SUCCESS);
    struct pollfd fd = {.fd = b.channel->fd, .events = POLLIN};
    EXPECT(poll(&fd, 1, 0) == 0);
}

static void port_down(void) {
    timeout = 14; /* 67 ms */
    connect_both(0);
    verbs_shim_set("port", 0);
    struct ibv_async_event event;
    EXPECT(!ibv_get_async_event(a.context, &event) && event.event_type == IBV_EVENT_PORT_ERR && event.element.port_num == 1);
    EXPECT(!ibv_get_async_event(b.context, &event));
    EXPECT(!receive(&b, 4, 8) && !send(&a, IBV_WR_SEND, 1, 8, 0));
    expect_wc(&a, 1, IBV_WC_RETRY_EXC_ERR);
    verbs_shim_set("port", 1);
    EXPECT(!ibv_get_async_event(a.context, &event) && event.event_type == IBV_EVENT_PORT_ACTIVE);
}

static void faults(void) {
    connect_both(0);
    verbs_shim_set("lose_ack", 2);
    for (int i = 1; i < 4; i++) EXPECT(!receive(&b, i, 8));
    for (int i = 1; i < 4; i++) EXPECT(!send(&a, IBV_WR_SEND, i, 8, IBV_SEND_SIGNALED));
    expect_wc(&a, 1, IBV_WC_SUCCESS);
    expect_wc(&b, 1, IBV_WC_SUCCESS);
    expect_wc(&b, 2, IBV_WC_SUCCESS);
    expect_wc(&a, 2, IBV_WC_RETRY_EXC_ERR);
    expect_wc(&a, 3, IBV_WC_WR_FLUSH_ERR);

    connect_both(0);
    verbs_shim_set("fail_status", IBV_WC_LOC_QP_OP_ERR);
    verbs_shim_set("fail_send", 2);
    for (int i = 1; i < 3; i++) EXPECT(!receive(&b, i, 8) && !send(&a, IBV_WR_SEND, i, 8, IBV_SEND_SIGNALED));
    expect_wc(&b, 1, IBV_WC_SUCCESS);
    expect_wc(&a, 1, IBV_WC_SUCCESS);
    expect_wc(&a, 2, IBV_WC_LOC_QP_OP_ERR);

    connect_both(0);
    verbs_shim_set("fail_recv", 1);
    EXPECT(!receive(&b, 1, 8) && !send(&a, IBV_WR_SEND, 1, 8, 0));
    expect_wc(&b, 1, IBV_WC_LOC_QP_OP_ERR);
    expect_wc(&a, 1, IBV_WC_REM_OP_ERR);
}

static void datagrams(void) {
    a = make(IBV_QPT_UD, 0);
    b = make(IBV_QPT_UD, 0);
    struct ibv_qp_attr rtr = {.qp_state = IBV_QPS_RTR}, rts = {.qp_state = IBV_QPS_RTS};
    EXPECT(!ibv_modify_qp(b.qp, &rtr, IBV_QP_STATE));
    EXPECT(!ibv_modify_qp(a.qp, &rtr, IBV_QP_STATE) && !ibv_modify_qp(a.qp, &rts, IBV_QP_STATE | IBV_QP_SQ_PSN));
    struct ibv_ah_attr to = {.is_global = 1, .port_num = 1, .grh = {.dgid = b.gid}};
    struct ibv_sge sge = {(uintptr_t)a.memory, 5, a.mr->lkey};
    struct ibv_send_wr wr = {.wr_id = 1, .opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED},
                       *bad;
    wr.wr.ud.ah = ibv_create_ah(a.pd, &to);
    wr.wr.ud.remote_qpn = b.qp->qp_num;
    strcpy(a.memory, "data");
    for (uint32_t qkey = 7; qkey < 9; qkey++) { /* the second one is wrong */
        wr.wr.ud.remote_qkey = qkey;
        EXPECT(!receive(&b, qkey, 64) && !ibv_post_send(a.qp, &wr, &bad));
        expect_wc(&a, 1, IBV_WC_SUCCESS);
    }
    struct ibv_wc wc = await(&b);
    EXPECT(wc.wr_id == 7 && wc.byte_len == 45 && wc.wc_flags & IBV_WC_GRH && !strcmp(b.memory + 40, "data"));
    EXPECT(!memcmp(b.memory + 8, &a.gid, 16) && !ibv_poll_cq(b.cq, 1, &wc));
    struct ibv_ah_attr back;
    EXPECT(!ibv_init_ah_from_wc(b.context, 1, &wc, (struct ibv_grh *)b.memory, &back));
    EXPECT(!memcmp(&back.grh.dgid, &a.gid, 16));
    wr.wr.ud.remote_qkey = 7;
    sge.length = 4097;
    EXPECT(!ibv_post_send(a.qp, &wr, &bad));
    expect_wc(&a, 1, IBV_WC_LOC_LEN_ERR);
}

#define CASE(name) {#name, name}

int main(int count, char **arguments) {
    static const struct { const char *name; void (*run)(void); } cases[] = {
        CASE(messages), CASE(shared_receives), CASE(rdma), CASE(without_rdma), CASE(stale_key), CASE(foreign_memory),
        CASE(short_receive), CASE(receiver_not_ready), CASE(rnr_retries_end), CASE(wrong_psn), CASE(peer_in_error),
        CASE(reset_and_again), CASE(peer_is_killed), CASE(send_queue_fills), CASE(wrong_states), CASE(limits), CASE(events),
        CASE(without_events), CASE(port_down), CASE(faults), CASE(datagrams)};
    alarm(50);
    ibv_get_device_list(0);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (count == 1) puts(cases[i].name);
        else if (!strcmp(arguments[1], cases[i].name)) return cases[i].run(), 0;
    }
    return count != 1;
}
