#define _GNU_SOURCE
#include "fabric.h"
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct options options;
char folder[128];
static bool is_pvrdma;

#define NAME(name, standard) {#name, &options.name, standard},
static const struct { const char *name; _Atomic long *value; long standard; } table[] = {OPTIONS(NAME)};
#define COUNTER(name) {#name, offsetof(struct counters, name)},
static const struct { const char *name; size_t offset; } counters[] = {COUNTERS(COUNTER)};
#define SIZE(array) (int)(sizeof(array) / sizeof *(array))

const char *driver(void) { return is_pvrdma ? "vmw_pvrdma" : "verbs_shim"; }

static _Atomic long *option(const char *name) {
    for (int i = 0; i < SIZE(table); i++) {
        if (!strcmp(table[i].name, name)) return table[i].value;
    }
    return 0;
}

/* A file of NAME=VALUE lines that came or changed since it was last read. */
static void read_options(const char *path, struct timespec *last) {
    struct stat file;
    if (stat(path, &file) || !memcmp(&file.st_mtim, last, sizeof *last)) return;
    *last = file.st_mtim;
    FILE *lines = fopen(path, "r");
    char name[64];
    long value;
    while (lines && fscanf(lines, " %63[^= \n] = %ld", name, &value) == 2) {
        if (option(name)) *option(name) = value;
        else fprintf(stderr, "verbs shim: %s: no option %s\n", path, name);
    }
    if (lines) fclose(lines);
}

void reload_options(void) {
    static struct timespec all, mine;
    static _Atomic uint32_t busy;
    char path[160];
    if (!try_lock(&busy)) return;
    snprintf(path, sizeof path, "%s/set", folder);
    read_options(path, &all);
    snprintf(path, sizeof path, "%s/set.%d", folder, getpid());
    read_options(path, &mine);
    unlock(&busy);
}

static void like(const char *device) {
    if (!*device) return;
    is_pvrdma = true;
    options.inline_data = 0;
    options.mtu = 1024;
    if (!strcmp(device, "pvrdma")) { /* of ESXi: an adapter that does all, but for inline */
        options.gids = 10;
        options.max_mr = 1L << 30;
        options.mtu = 4096;
    } else if (!strcmp(device, "qemu")) { /* QEMU's emulation of it */
        options.gids = 5;
        options.rdma = options.events = options.srq = 0;
        options.max_mr = 16 << 20;
        options.max_sge = 4;
    } else {
        fprintf(stderr, "verbs shim: VERBS_SHIM_LIKE is pvrdma or qemu, not %s\n", device);
    }
}

bool load_options(void) {
    const char *path = getenv("VERBS_SHIM");
    if (!path || !*path || strlen(path) >= sizeof folder) return false;
    if (!strcmp(folder, path)) return true;
    strcpy(folder, path); /* the first, or that of a process's next test */
    mkdir(folder, 0700);
    for (int i = 0; i < SIZE(table); i++) *table[i].value = table[i].standard;
    like(getenv("VERBS_SHIM_LIKE") ?: "");
    for (int i = 0; i < SIZE(table); i++) {
        char name[64] = "VERBS_SHIM_";
        for (int k = 0; table[i].name[k]; k++) name[11 + k] = toupper(table[i].name[k]);
        if (getenv(name)) *table[i].value = atol(getenv(name));
    }
    reload_options();
    if (options.copy > 16 << 10) options.copy = 16 << 10; /* a quarter of the smallest ring */
    if (options.max_sge > MAX_SGE) options.max_sge = MAX_SGE;
    return true;
}

/* ---- for programs and tests ---- */

/* Sets an option of this process; false: there is none of that name. */
int verbs_shim_set(const char *name, long value) {
    if (!load_options() || !option(name)) return 0;
    *option(name) = value;
    return 1;
}

/* A counter of this process, over all its contexts, or an option; -1: neither. */
long verbs_shim_get(const char *name) {
    for (int i = 0; i < SIZE(counters); i++) {
        if (strcmp(counters[i].name, name)) continue;
        uint64_t sum = 0;
        for (struct context *c = contexts; c; c = c->next) sum += *(uint64_t *)((char *)&c->counters + counters[i].offset);
        return sum;
    }
    return load_options() && option(name) ? *option(name) : -1;
}

void __attribute__((destructor)) write_counters(void) {
    if (!*folder || !contexts) return;
    char path[160];
    snprintf(path, sizeof path, "%s/counters.%d", folder, getpid());
    FILE *file = fopen(path, "w");
    for (int i = 0; file && i < SIZE(counters); i++) {
        fprintf(file, "%s=%ld\n", counters[i].name, verbs_shim_get(counters[i].name));
    }
    if (file) fclose(file);
}

/* ---- what programs read of a device under /sys ---- */

static void __attribute__((format(printf, 3, 4))) put(const char *base, const char *name, const char *format, ...) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", base, name);
    for (char *slash = path + strlen(folder); (slash = strchr(slash + 1, '/'));) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    char temporary[560];
    snprintf(temporary, sizeof temporary, "%s.%d", path, getpid());
    FILE *file = fopen(temporary, "w");
    if (!file) return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fclose(file);
    rename(temporary, path);
}

void make_sysfs(struct ibv_device *device, int number) {
    const char *base = device->ibdev_path;
    char name[64], path[512];
    put(base, "hca_type", "%s\n", is_pvrdma ? "VMW_PVRDMA-1.0.1.0-k" : "VERBS_SHIM");
    put(base, "node_type", "1: CA\n");
    put(base, "fw_ver", "1.0.0\n");
    put(base, "node_guid", "0200:00ff:fe00:%02x%02lx\n", number, options.host + 1);
    put(base, "device/vendor", "0x%s\n", is_pvrdma ? "15ad" : "1d0f");
    put(base, "device/device", "0x%s\n", is_pvrdma ? "0820" : "5348");
    put(base, "device/numa_node", "-1\n");
    put(base, "device/net/lo/mtu", "65536\n");
    put(base, "ports/1/state", "%s\n", options.port ? "4: ACTIVE" : "1: DOWN");
    put(base, "ports/1/phys_state", "%s\n", options.port ? "5: LinkUp" : "3: Disabled");
    put(base, "ports/1/link_layer", "Ethernet\n");
    put(base, "ports/1/rate", "100 Gb/sec (4X EDR)\n");
    put(base, "ports/1/lid", "0x0\n");
    put(base, "ports/1/pkeys/0", "0x%04lx\n", options.pkey);
    put(base, "ports/1/pkeys/1", "0x%04lx\n", options.pkey2);
    for (int i = 0; i < gid_count(); i++) {
        enum ibv_gid_type type;
        const uint8_t *g = gid_at(options.host, number, i, &type).raw;
        snprintf(name, sizeof name, "ports/1/gids/%d", i);
        put(base, name, "%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x\n", g[0], g[1], g[2], g[3], g[4],
            g[5], g[6], g[7], g[8], g[9], g[10], g[11], g[12], g[13], g[14], g[15]);
        snprintf(name, sizeof name, "ports/1/gid_attrs/types/%d", i);
        put(base, name, "%s\n", type == IBV_GID_TYPE_ROCE_V2 ? "RoCE v2" : "IB/RoCE v1");
        snprintf(name, sizeof name, "ports/1/gid_attrs/ndevs/%d", i);
        put(base, name, "lo\n");
    }
    /* As in /sys, a link whose last name is the driver's. */
    snprintf(path, sizeof path, "%s/sys/drivers/%s", folder, driver());
    put(path, "module", "%s\n", driver());
    char link[512];
    snprintf(link, sizeof link, "%s/device/driver", base);
    if (symlink(path, link) && errno != EEXIST) perror("verbs shim: driver");
    put(device->dev_path, "ibdev", "%s\n", device->name);
    put(device->dev_path, "abi_version", "3\n");
}
