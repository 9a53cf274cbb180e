/*
 * Bandwidth: rank 0 sends a window of non-blocking messages out of one buffer, rank 1 receives them all into one
 * buffer and answers with 4 bytes. MB = 10^6 bytes.
 */
#include "bench.h"

static const struct repetition repetition = {5000, 100, 200, 10};
static const struct repetition huge = {5000, 100, 50, 5}; /* above 1 MiB */

static void source(char *data, char *ack, int count, MPI_Request *requests, int window)
{
    for (int i = 0; i < window; i++)
        MPI_Isend(data, count, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    MPI_Recv(ack, 4, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sink(char *data, char *ack, int count, MPI_Request *requests, int window)
{
    for (int i = 0; i < window; i++)
        MPI_Irecv(data, count, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    MPI_Send(ack, 4, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    struct options o = parse(argc, argv, 1, 4 << 20);
    if (ranks != 2)
        fail("bw needs 2 ranks", "");

    char *data = buffer(o.max, rank == 0 ? 'a' : 'b'), *ack = buffer(4, 'c');
    MPI_Request *requests = malloc(sizeof(MPI_Request) * (size_t) o.window);
    if (requests == NULL)
        fail("out of memory", "");
    header("Bandwidth", "MPI_CHAR", "# Size      Bandwidth (MB/s)");
    for (long bytes = o.min; bytes <= o.max; bytes *= 2) {
        const struct repetition *r = bytes > 1 << 20 ? &huge : &repetition;
        long n = iterations(&o, r, bytes), skip = warmup(&o, r, bytes);
        double start = 0;

        MPI_Barrier(MPI_COMM_WORLD);
        for (long i = -skip; i < n; i++) {
            if (i == 0)
                start = MPI_Wtime();
            if (rank == 0)
                source(data, ack, (int) bytes, requests, o.window);
            else
                sink(data, ack, (int) bytes, requests, o.window);
        }
        row(bytes, (double) bytes * o.window * n / 1e6 / (MPI_Wtime() - start));
    }
    free(requests);
    free(data);
    free(ack);
    MPI_Finalize();
    return 0;
}
