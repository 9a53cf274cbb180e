/*
 * What the programs of this folder share: options, buffers, the table.
 *
 * They measure what the OSU Micro-Benchmarks 7 document and print the same tables, but are programs of their own.
 * Options: -m MIN:MAX or -m MAX, -i ITERATIONS, -x WARMUP, --window N, -t TYPE (collectives with a reduction).
 */
#ifndef BENCH_H
#define BENCH_H

#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Up to this size a message is a small one, which is repeated more often. */
#define SMALL 8192

struct options {
    long min, max;          /* bytes */
    long iterations;        /* 0: by size */
    long warmup;            /* -1: by size */
    int window;
    const char *type_name;  /* NULL: double, or char below 8 bytes */
};

/* How often a size is run: its own values for small and for large messages. */
struct repetition {
    long small, small_warmup;
    long large, large_warmup;
};

static int rank, ranks;

static void fail(const char *message, const char *detail)
{
    if (rank == 0)
        fprintf(stderr, "%s%s\n", message, detail);
    MPI_Finalize();
    exit(2);
}

static long number(const char *text, const char *option, char **end, long least)
{
    char *rest;
    long value = strtol(text, &rest, 10);

    if (rest == text || value < least || (*rest != '\0' && (end == NULL || *rest != ':')))
        fail("bad value for ", option);
    if (end != NULL)
        *end = rest;
    return value;
}

static struct options parse(int argc, char **argv, long min, long max)
{
    static const struct option names[] = {
        {"message-size", required_argument, NULL, 'm'}, {"iterations", required_argument, NULL, 'i'},
        {"warmup", required_argument, NULL, 'x'},       {"window", required_argument, NULL, 'W'},
        {"type", required_argument, NULL, 't'},         {NULL, 0, NULL, 0}};
    struct options o = {min, max, 0, -1, 64, NULL};
    char *rest;
    int c;

    opterr = rank == 0;
    while ((c = getopt_long(argc, argv, "m:i:x:W:t:", names, NULL)) != -1) {
        switch (c) {
        case 'm':
            o.max = number(optarg, "-m", &rest, 1);
            if (*rest == ':') {
                o.min = o.max;
                o.max = number(rest + 1, "-m", NULL, o.min);
            }
            break;
        case 'i':
            o.iterations = number(optarg, "-i", NULL, 1);
            break;
        case 'x':
            o.warmup = number(optarg, "-x", NULL, 0);
            break;
        case 'W':
            o.window = (int) number(optarg, "--window", NULL, 1);
            break;
        case 't':
            o.type_name = optarg;
            break;
        default:
            fail("usage: [-m MIN:MAX] [-i ITERATIONS] [-x WARMUP] [--window N] [-t char|int|float|double]", "");
        }
    }
    return o;
}

static long iterations(const struct options *o, const struct repetition *r, long bytes)
{
    return o->iterations > 0 ? o->iterations : bytes <= SMALL ? r->small : r->large;
}

static long warmup(const struct options *o, const struct repetition *r, long bytes)
{
    return o->warmup >= 0 ? o->warmup : bytes <= SMALL ? r->small_warmup : r->large_warmup;
}

/* A page-aligned buffer whose pages exist before anything is measured. */
static char *buffer(long bytes, int value)
{
    void *memory;

    if (posix_memalign(&memory, (size_t) sysconf(_SC_PAGESIZE), (size_t) bytes) != 0)
        fail("out of memory", "");
    memset(memory, value, (size_t) bytes);
    return memory;
}

static void header(const char *test, const char *datatype, const char *columns)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    if (rank != 0)
        return;
    MPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    printf("\n# OSU MPI %s Test v7.4 (equivalent; %s)\n", test, library);
    if (datatype != NULL)
        printf("# Datatype: %s.\n", datatype);
    printf("%s\n", columns);
    fflush(stdout);
}

static void row(long bytes, double value)
{
    if (rank != 0)
        return;
    printf("%-10ld%18.2f\n", bytes, value);
    fflush(stdout);
}

#endif
