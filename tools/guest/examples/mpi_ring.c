/* An MPI program that checks what it is told: mpi_ring SECONDS [NUMBERS]

   In each step every process sends numbers to the next one of a ring, receives those of the previous
   one, and all add up what all know. Process 0 prints a line every second or so, and decides by its own
   clock when it has been enough. Exit status 0 if every number was right in every process.

   Built as usual: mpicc -O2 -o mpi_ring mpi_ring.c */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long run(int rank, int processes, double seconds, int numbers, long* wrong, double* longest) {
  double* sent = calloc((size_t)numbers, sizeof *sent);
  double* got = calloc((size_t)numbers, sizeof *got);
  if (!sent || !got) MPI_Abort(MPI_COMM_WORLD, 2);
  const int next = (rank + 1) % processes, previous = (rank + processes - 1) % processes;
  const double begin = MPI_Wtime();
  double said = begin, moved = 0, last = begin;
  long step = 0;
  for (int more = 1; more; ++step) {
    for (int i = 0; i < numbers; ++i) sent[i] = rank * 1e6 + (double)step + i;
    MPI_Sendrecv(sent, numbers, MPI_DOUBLE, next, 0, got, numbers, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < numbers; ++i) *wrong += got[i] != previous * 1e6 + (double)step + i;
    /* The sum of all ranks, and whether process 0 wants another step. */
    const double now = MPI_Wtime();
    long mine[2] = {rank + step, rank == 0 && now - begin < seconds}, all[2];
    MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    *wrong += all[0] != (long)processes * (processes - 1) / 2 + processes * step;
    more = all[1] != 0;
    if (now - last > *longest) *longest = now - last;
    last = now;
    moved += numbers * (double)sizeof *sent;
    if (rank == 0 && now - said >= 1) {
      printf("step %ld, %.0f KiB/s, %ld wrong\n", step, moved / 1024 / (now - said), *wrong);
      fflush(stdout);
      said = now;
      moved = 0;
    }
  }
  free(sent);
  free(got);
  return step;
}

int main(int argc, char** argv) {
  int rank = 0, processes = 0;
  long wrong = 0, all = 0;
  double longest = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const double seconds = argc > 1 ? atof(argv[1]) : 10;
  const long steps = run(rank, processes, seconds, argc > 2 ? atoi(argv[2]) : 8192, &wrong, &longest);
  MPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d processes, %ld steps, %ld wrong, longest step %.1f s\n", processes, steps, all, longest);
  MPI_Finalize();
  return all != 0;
}
