/* Latency: half the round trip of a blocking ping-pong between two ranks. */
#include "bench.h"

static const struct repetition repetition = {100000, 2000, 5000, 100};

static void ping(char *out, char *in, int count)
{
    MPI_Send(out, count, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(in, count, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void pong(char *out, char *in, int count)
{
    MPI_Recv(in, count, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, count, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    struct options o = parse(argc, argv, 1, 4 << 20);
    if (ranks != 2)
        fail("latency needs 2 ranks", "");

    char *out = buffer(o.max, 'a'), *in = buffer(o.max, 'b');
    header("Latency", "MPI_CHAR", "# Size       Avg Latency(us)");
    for (long bytes = o.min; bytes <= o.max; bytes *= 2) {
        long n = iterations(&o, &repetition, bytes), skip = warmup(&o, &repetition, bytes);
        double start = 0;

        MPI_Barrier(MPI_COMM_WORLD);
        for (long i = -skip; i < n; i++) {
            if (i == 0)
                start = MPI_Wtime();
            if (rank == 0)
                ping(out, in, (int) bytes);
            else
                pong(out, in, (int) bytes);
        }
        row(bytes, (MPI_Wtime() - start) * 1e6 / (2.0 * n));
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
