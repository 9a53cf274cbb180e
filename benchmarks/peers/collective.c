/*
 * Collectives: collective NAME [OPTIONS] with allreduce, reduce, bcast or barrier.
 *
 * The value is the mean time of a call, averaged over the ranks; between two calls stands a barrier that is not
 * timed. Reductions sum doubles (below 8 bytes: chars); -t asks for another type.
 */
#include "bench.h"

static const struct repetition repetition = {20000, 1000, 1000, 50};

struct call {
    char *in, *out;
    int count;
    MPI_Datatype type;
};

struct datatype {
    const char *name, *mpi_name;
    MPI_Datatype type;
    int bytes;
};

struct collective {
    const char *name, *title;
    int reduces;
    void (*run)(const struct call *c);
};

static void allreduce(const struct call *c)
{
    MPI_Allreduce(c->in, c->out, c->count, c->type, MPI_SUM, MPI_COMM_WORLD);
}

static void reduce(const struct call *c)
{
    MPI_Reduce(c->in, c->out, c->count, c->type, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void bcast(const struct call *c)
{
    MPI_Bcast(c->in, c->count, c->type, 0, MPI_COMM_WORLD);
}

static void barrier(const struct call *c)
{
    (void) c;
    MPI_Barrier(MPI_COMM_WORLD);
}

static const struct collective collectives[] = {{"allreduce", "Allreduce Latency", 1, allreduce},
                                                {"reduce", "Reduce Latency", 1, reduce},
                                                {"bcast", "Broadcast Latency", 0, bcast},
                                                {"barrier", "Barrier Latency", 0, barrier}};

static const struct collective *find(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof collectives / sizeof collectives[0]; i++)
        if (strcmp(argv[1], collectives[i].name) == 0)
            return &collectives[i];
    fail("usage: collective allreduce|reduce|bcast|barrier [OPTIONS]", "");
    return NULL;
}

static struct datatype datatype(const char *name, long least, int reduces)
{
    const struct datatype types[] = {{"char", "MPI_SIGNED_CHAR", MPI_SIGNED_CHAR, 1},
                                     {"int", "MPI_INT", MPI_INT, 4},
                                     {"float", "MPI_FLOAT", MPI_FLOAT, 4},
                                     {"double", "MPI_DOUBLE", MPI_DOUBLE, 8}};

    if (name == NULL)
        name = reduces && least % 8 == 0 ? "double" : "char";
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(name, types[i].name) == 0)
            return types[i];
    fail("no such type: ", name);
    return types[0];
}

/* Mean time of a call in microseconds, averaged over the ranks; known to rank 0 only. */
static double measure(const struct collective *c, const struct call *call, long n, long skip)
{
    double total = 0, sum = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    for (long i = -skip; i < n; i++) {
        double start = MPI_Wtime();
        c->run(call);
        double end = MPI_Wtime();

        if (i >= 0)
            total += end - start;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    total = total * 1e6 / n;
    MPI_Reduce(&total, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return sum / ranks;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const struct collective *c = find(argc, argv);
    struct options o = parse(argc - 1, argv + 1, 8, 1 << 20);
    if (ranks < 2)
        fail("collectives need 2 ranks or more", "");

    struct datatype t = datatype(o.type_name, o.min, c->reduces);
    if (c->run == barrier) {
        header(c->title, NULL, "# Avg Latency(us)");
        double value = measure(c, NULL, iterations(&o, &repetition, 0), warmup(&o, &repetition, 0));
        if (rank == 0)
            printf("%17.2f\n", value);
        MPI_Finalize();
        return 0;
    }
    struct call call = {buffer(o.max, 1), buffer(o.max, 0), 0, t.type};
    header(c->title, t.mpi_name, "# Size       Avg Latency(us)");
    for (long bytes = o.min < t.bytes ? t.bytes : o.min; bytes <= o.max; bytes *= 2) {
        call.count = (int) (bytes / t.bytes);
        row(bytes, measure(c, &call, iterations(&o, &repetition, bytes), warmup(&o, &repetition, bytes)));
    }
    free(call.in);
    free(call.out);
    MPI_Finalize();
    return 0;
}
