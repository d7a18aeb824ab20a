/* What a program without Spelt does with MPI: a sum over all ranks, and a heat equation on a box whose planes are divided among the
 * ranks, with the exchange of planes by hand. The benchmark loads it into each rank's process, where MPI is initialised already. */

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* The library's name and version; or 1 if this was compiled for another library than the one that the process has initialised, whose functions
 * it calls, and 2 if there is none. */
int peer_version(char *text, int room)
{
    int initialised = 0, len = 0, compiled_for_open_mpi = 0;
    /* The longest of all libraries. */
    static char version[8192];
#ifdef OPEN_MPI
    compiled_for_open_mpi = 1;
#endif
    MPI_Get_library_version(version, &len);
    if ((strstr(version, "Open MPI") != NULL) != compiled_for_open_mpi)
        return 1;
    MPI_Initialized(&initialised);
    if (!initialised)
        return 2;
    strncpy(text, version, (size_t)room - 1);
    text[room - 1] = 0;
    return 0;
}

/* Sums one double of each rank, `count` times. The seconds of each go to `seconds`; returns the last sum. */
double peer_sums(int count, double *seconds)
{
    double own = 1.0, sum = 0.0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
        double start = MPI_Wtime();
        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        seconds[i] = MPI_Wtime() - start;
    }
    return sum;
}

/* The planes of this rank, and one of each neighbour's on either side. */
typedef struct {
    long n, planes;
    int below, above;
    double *now, *next;
} Heat;

/* A box of n * n * n cells of which this rank has the planes from `first` to `past`; the neighbours are ranks, or -1. */
Heat *peer_heat(long n, long first, long past, int below, int above)
{
    Heat *heat = malloc(sizeof *heat);
    size_t bytes = (size_t)(past - first + 2) * n * n * sizeof(double);
    *heat = (Heat){n, past - first, below < 0 ? MPI_PROC_NULL : below, above < 0 ? MPI_PROC_NULL : above, malloc(bytes), malloc(bytes)};
    for (long i = 0; i < heat->planes + 2; i++)
        for (long jk = 0; jk < n * n; jk++)
            heat->now[i * n * n + jk] = heat->next[i * n * n + jk] =
                (double)(((first + i - 1) * 31 + jk / n * 17 + jk % n * 7) % 23);
    return heat;
}

void peer_heat_end(Heat *heat)
{
    free(heat->now);
    free(heat->next);
    free(heat);
}

/* One step of the planes from `first` to `past`, without those at the ends of the box. */
static void planes(const Heat *heat, long first, long past)
{
    long n = heat->n;
    if (heat->below == MPI_PROC_NULL && first < 2)
        first = 2;
    if (heat->above == MPI_PROC_NULL && past > heat->planes)
        past = heat->planes;
    for (long i = first; i < past; i++)
        for (long j = 1; j < n - 1; j++) {
            const double *restrict x = heat->now + (i * n + j) * n;
            double *restrict y = heat->next + (i * n + j) * n;
            for (long k = 1; k < n - 1; k++)
                y[k] = x[k] + 0.1 * (x[k - n * n] + x[k + n * n] + x[k - n] + x[k + n] + x[k - 1] + x[k + 1] - 6.0 * x[k]);
        }
}

/* `count` steps: the inner planes are computed while those of the neighbours travel. The seconds of each go to `seconds`. */
void peer_heat_steps(Heat *heat, int count, double *seconds)
{
    int plane = (int)(heat->n * heat->n);
    long last = heat->planes;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < count; step++) {
        double start = MPI_Wtime();
        double *x = heat->now;
        MPI_Request requests[4];
        MPI_Irecv(x, plane, MPI_DOUBLE, heat->below, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(x + (last + 1) * plane, plane, MPI_DOUBLE, heat->above, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(x + plane, plane, MPI_DOUBLE, heat->below, 2, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(x + last * plane, plane, MPI_DOUBLE, heat->above, 1, MPI_COMM_WORLD, &requests[3]);
        planes(heat, 2, last);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        planes(heat, 1, 2);
        if (last > 1)
            planes(heat, last, last + 1);
        heat->now = heat->next;
        heat->next = x;
        seconds[step] = MPI_Wtime() - start;
    }
}

/* The cells of this rank's planes. */
const double *peer_heat_cells(const Heat *heat)
{
    return heat->now + heat->n * heat->n;
}
