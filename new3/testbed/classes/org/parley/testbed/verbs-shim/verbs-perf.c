/*
 * verbs-perf TEST [-a | -s SIZE] [-n ITERATIONS] [-q DEPTH] [-l LIST] [-d DEVICE] [-c RC|UD]: the tests and tables of perftest,
 * small, between this process and a child of it. The loops are those of `parley perf`, which is compared with it. TEST: send_lat
 * send_bw write_lat write_bw read_lat read_bw; or devices, to list them. It uses libibverbs and nothing of the shim.
 */
#define _GNU_SOURCE
#include <infiniband/verbs.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRH 40
#define RECEIVES 512
#define BATCH 16

struct end {
    uint32_t qpn, psn, rkey;
    uint64_t address;
    union ibv_gid gid;
};

static int peer; /* socket to the other process */
static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_mr *mr;
static struct ibv_ah *ah;
static struct end mine, theirs;
static char *buffer;
static int gid_index, is_ud, is_client, depth = 128, list = 1, chained, max_inline;
static long received, reposted, completed, signaled, sent, expected;
static size_t largest = 1 << 20;

static void must(int is_fine, const char *what) {
    if (is_fine) return;
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

static void swap(void *out, void *in, size_t length) {
    must(write(peer, out, length) == (ssize_t)length && recv(peer, in, length, MSG_WAITALL) == (ssize_t)length, "other process");
}

static void meet(void) {
    char word = 0;
    swap(&word, &word, 1);
}

static void open_device(const char *name) {
    int count = 0, chosen = 0;
    struct ibv_device **list = ibv_get_device_list(&count);
    for (int i = 0; name && i < count; i++) {
        if (!strcmp(ibv_get_device_name(list[i]), name)) chosen = i;
    }
    must(count > 0, "no RDMA device");
    must((context = ibv_open_device(list[chosen])) != 0, "ibv_open_device");
    must((pd = ibv_alloc_pd(context)) != 0, "ibv_alloc_pd");
    buffer = mmap(0, 2 * largest + 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mr = ibv_reg_mr(pd, buffer, 2 * largest + 8192, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
    must(mr != 0, "ibv_reg_mr");
    must((cq = ibv_create_cq(context, 2 * depth + 2 * RECEIVES, 0, 0, 0)) != 0, "ibv_create_cq");
}

static void create_qp(void) {
    struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .qp_type = is_ud ? IBV_QPT_UD : IBV_QPT_RC,
                                    .cap = {.max_send_wr = 2 * depth, .max_recv_wr = RECEIVES, .max_send_sge = 1,
                                            .max_recv_sge = 1, .max_inline_data = 220}};
    qp = ibv_create_qp(pd, &init);
    if (!qp) {
        init.cap.max_inline_data = 0;
        qp = ibv_create_qp(pd, &init);
    }
    must(qp != 0, "ibv_create_qp");
    max_inline = init.cap.max_inline_data;
    struct ibv_port_attr port;
    must(!ibv_query_port(context, 1, &port), "ibv_query_port");
    struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 0x11111111,
                            .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ};
    must(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | (is_ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)),
         "to INIT");
    gid_index = port.gid_tbl_len - 1;
    must(!ibv_query_gid(context, 1, gid_index, &mine.gid), "ibv_query_gid");
    mine = (struct end){qp->qp_num, getpid() & 0xffffff, mr->rkey, (uintptr_t)buffer, mine.gid};
    swap(&mine, &theirs, sizeof mine);
    struct ibv_ah_attr address = {.is_global = 1, .port_num = 1,
                                  .grh = {.dgid = theirs.gid, .sgid_index = gid_index, .hop_limit = 64}};
    a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR, .path_mtu = port.active_mtu, .dest_qp_num = theirs.qpn,
                             .rq_psn = theirs.psn, .max_dest_rd_atomic = 16, .min_rnr_timer = 12, .ah_attr = address};
    must(!ibv_modify_qp(qp, &a, is_ud ? IBV_QP_STATE : IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN
                        | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER), "to RTR");
    a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .sq_psn = mine.psn, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
                             .max_rd_atomic = 16};
    must(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | (is_ud ? 0 : IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY
                        | IBV_QP_MAX_QP_RD_ATOMIC)), "to RTS");
    if (is_ud) must((ah = ibv_create_ah(pd, &address)) != 0, "ibv_create_ah");
}

/* Adds a send to the list, and posts the list if it is full or ends here. */
static void post(enum ibv_wr_opcode opcode, size_t size, int is_signaled, int is_last) {
    static struct ibv_send_wr wrs[64];
    static struct ibv_sge sge;
    struct ibv_send_wr *wr = &wrs[chained], *bad;
    sge = (struct ibv_sge){(uintptr_t)buffer, size, mr->lkey};
    wr->opcode = opcode;
    wr->next = 0;
    wr->sg_list = &sge;
    wr->num_sge = 1;
    wr->send_flags = is_signaled ? IBV_SEND_SIGNALED : 0;
    if (size <= (size_t)max_inline && opcode != IBV_WR_RDMA_READ) wr->send_flags |= IBV_SEND_INLINE;
    if (is_ud) {
        wr->wr.ud.ah = ah;
        wr->wr.ud.remote_qpn = theirs.qpn;
        wr->wr.ud.remote_qkey = 0x11111111;
    } else {
        wr->wr.rdma.remote_addr = theirs.address + (opcode == IBV_WR_RDMA_WRITE ? largest + 4096 : 0);
        wr->wr.rdma.rkey = theirs.rkey;
    }
    if (chained) wrs[chained - 1].next = wr;
    if (++chained < list && !is_last) return;
    chained = 0;
    must(!ibv_post_send(qp, wrs, &bad), "ibv_post_send");
}

/* All into one place. */
static void post_receives(int count) {
    struct ibv_sge sge = {(uintptr_t)buffer + largest + 4096 - (is_ud ? GRH : 0), largest + (is_ud ? GRH : 0), mr->lkey};
    struct ibv_recv_wr wr[BATCH], *bad;
    for (; count > 0; count -= BATCH) {
        int now = count < BATCH ? count : BATCH;
        for (int i = 0; i < now; i++) {
            wr[i] = (struct ibv_recv_wr){.sg_list = &sge, .num_sge = 1, .next = i + 1 < now ? &wr[i + 1] : 0};
        }
        must(!ibv_post_recv(qp, wr, &bad), "ibv_post_recv");
    }
}

static void post_again(void) {
    int count = received - reposted;
    if (count < BATCH) return;
    reposted += count;
    post_receives(count);
}

/* perftest spins on; here others may need the processor, the peer first of all. */
static void give_way(int misses) {
    if (misses % 2048 == 0) sched_yield();
}

static int poll_once(void) {
    struct ibv_wc wc[BATCH];
    int count = ibv_poll_cq(cq, BATCH, wc);
    for (int i = 0; i < count; i++) {
        if (wc[i].status) fprintf(stderr, "completion: %s\n", ibv_wc_status_str(wc[i].status)), exit(1);
        if (wc[i].opcode & IBV_WC_RECV) received++;
        else completed++;
    }
    return count;
}

static void await_count(long *what, long count) {
    for (int misses = 1; *what < count; misses++) {
        if (!poll_once()) give_way(misses);
    }
}

/* Whether the other process has come to its meet(): what it sent and did not arrive is lost. */
static int has_ended(void) {
    char word;
    return recv(peer, &word, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

static int compare(const void *a, const void *b) { return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b); }

static void print_latency(size_t size, double *times, int count) {
    double sum = 0, squares = 0;
    qsort(times, count, sizeof *times, compare);
    for (int i = 0; i < count; i++) sum += times[i];
    for (int i = 0; i < count; i++) squares += (times[i] - sum / count) * (times[i] - sum / count);
    printf(" %-7zu %-14d %-14.2f %-14.2f %-16.2f %-14.2f %-15.2f %-22.2f %.2f\n", size, count, times[0], times[count - 1],
           times[count / 2], sum / count, sqrt(squares / count), times[(int)(count * 0.99)], times[(int)(count * 0.999)]);
}

static void send_turn(enum ibv_wr_opcode opcode, size_t size, int i) {
    int is_signaled = sent++ % (depth / 2) == 0;
    if (is_signaled) await_count(&completed, signaled++);
    *(volatile char *)(buffer + size - 1) = i % 127 + 1;
    post(opcode, size, is_signaled, 1);
}

static void receive_turn(enum ibv_wr_opcode opcode, size_t size, int i) {
    volatile char *arrived = buffer + largest + 4096 + size - 1;
    if (opcode == IBV_WR_SEND) {
        await_count(&received, ++expected);
        post_again();
    } else {
        for (int misses = 1; *arrived != (char)(i % 127 + 1); misses++) give_way(misses);
    }
}

static void latency(enum ibv_wr_opcode opcode, size_t size, int iterations, int is_told) {
    double *times = malloc(iterations * sizeof *times);
    buffer[largest + 4096 + size - 1] = 0;
    meet();
    for (int i = 0; i < iterations; i++) {
        double begin = now();
        if (opcode == IBV_WR_RDMA_READ) {
            if (!is_client) break;
            post(opcode, size, 1, 1);
            await_count(&completed, ++signaled);
            times[i] = now() - begin;
            continue;
        }
        if (is_client) send_turn(opcode, size, i);
        receive_turn(opcode, size, i);
        if (!is_client) send_turn(opcode, size, i);
        times[i] = (now() - begin) / 2;
    }
    await_count(&completed, signaled);
    meet();
    if (is_client && is_told) print_latency(size, times, iterations);
    free(times);
}

static void bandwidth(enum ibv_wr_opcode opcode, size_t size, int iterations, int is_told) {
    int every = (depth / 4 / list ?: 1) * list;
    long target = received + iterations;
    meet();
    double begin = now();
    if (is_client) {
        for (int i = 0; i < iterations; i++) {
            if (signaled - completed == 4) await_count(&completed, completed + 1);
            int is_signaled = i % every == every - 1 || i == iterations - 1;
            signaled += is_signaled;
            post(opcode, size, is_signaled, is_signaled);
        }
        await_count(&completed, signaled);
    } else if (opcode == IBV_WR_SEND) {
        for (int misses = 1; received < target && !(is_ud && misses % 2048 == 0 && has_ended()); misses++) {
            if (poll_once()) post_again();
            else give_way(misses);
        }
    }
    double time = now() - begin, rate = iterations / time;
    meet();
    if (is_client && is_told) printf(" %-10zu %-15d %-18.2f %-19.2f %.6f\n", size, iterations, 0.0,
                                     rate * size * 1e6 / (1 << 20), rate);
}

static int list_devices(void) {
    int number = 0;
    struct ibv_device **list = ibv_get_device_list(&number);
    must(list != 0, "ibv_get_device_list");
    for (int i = 0; i < number; i++) puts(ibv_get_device_name(list[i]));
    return 0;
}

int main(int count, char **arguments) {
    const char *test = count > 1 ? arguments[1] : "", *device = 0;
    size_t size = strstr(test, "_bw") ? 65536 : 2;
    int iterations = strstr(test, "_bw") ? 5000 : 1000, all = 0, option;
    optind = 2;
    while ((option = getopt(count, arguments, "s:an:q:l:d:c:")) > 0) {
        if (option == 's') size = strtoull(optarg, 0, 0);
        else if (option == 'n') iterations = atoi(optarg);
        else if (option == 'q') depth = atoi(optarg);
        else if (option == 'l') list = atoi(optarg);
        else if (option == 'd') device = optarg;
        else if (option == 'c') is_ud = !strcmp(optarg, "UD");
        else if (option == 'a') all = 1;
        else return 2;
    }
    if (!strcmp(test, "devices")) return list_devices();
    enum ibv_wr_opcode opcode = !strncmp(test, "write", 5) ? IBV_WR_RDMA_WRITE
                                : !strncmp(test, "read", 4) ? IBV_WR_RDMA_READ : IBV_WR_SEND;
    void (*run)(enum ibv_wr_opcode, size_t, int, int) = strstr(test, "_lat") ? latency : strstr(test, "_bw") ? bandwidth : 0;
    if (!run || depth < 4 || iterations < 1 || list < 1 || list > 64 || list > depth / 2) {
        fprintf(stderr, "usage: verbs-perf send_lat|send_bw|write_lat|write_bw|read_lat|read_bw [-a|-s SIZE] [-n ITERATIONS]"
                        " [-q DEPTH] [-l LIST] [-d DEVICE] [-c RC|UD]\n");
        return 2;
    }
    if (is_ud) largest = 4096;
    else if (all) largest = 8 << 20;
    if (!all && size > largest) largest = size;
    int pair[2];
    must(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
    pid_t child = fork();
    is_client = child != 0;
    if (!child) prctl(PR_SET_PDEATHSIG, SIGKILL);
    peer = pair[is_client];
    cpu_set_t cpus, one;
    sched_getaffinity(0, sizeof cpus, &cpus);
    for (int cpu = 0, nth = 0; cpu < CPU_SETSIZE; cpu++) { /* one each, where there are two */
        if (!CPU_ISSET(cpu, &cpus) || nth++ != is_client) continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
    }
    open_device(device);
    create_qp();
    if (is_client && run == latency) {
        printf(" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   "
               "99%% percentile[usec]   99.9%% percentile[usec]\n");
    } else if (is_client) {
        printf(" #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n");
    }
    if (opcode == IBV_WR_SEND) post_receives(RECEIVES);
    meet();
    for (int i = 0; i < 20; i++) run(opcode, all ? 2 : size < 64 ? size : 64, 1000, 0);
    for (size_t at = all ? 2 : size; at <= (all ? largest : size); at *= 2) run(opcode, at, iterations, 1);
    ibv_close_device(context);
    int status = 0;
    if (is_client) wait(&status);
    return status != 0;
}
