/* An example of a parallel job: counts the primes in this task's share of [1, N].

     aliquot submit --tasks 4 --cpus 1 --mem 128MiB -- primes 4000000

   Task T of K takes the T-th of K ranges of equal length. Prints its progress, then the range and the
   count; the counts of all tasks add up to the number of primes up to N. Bound by the CPU alone: trial
   division. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kUsage = 2, kProgressSteps = 10 };

static bool parse(const char* text, uint64_t least, uint64_t most, uint64_t* value) {
  char* end = NULL;
  if (!text || *text < '0' || *text > '9') return false;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return errno == 0 && *end == 0 && *value >= least && *value <= most;
}

static bool is_prime(uint64_t number) {
  if (number < 4) return number >= 2;
  if (number % 2 == 0 || number % 3 == 0) return false;
  for (uint64_t divisor = 5; divisor * divisor <= number; divisor += 6) {
    if (number % divisor == 0 || number % (divisor + 2) == 0) return false;
  }
  return true;
}

int main(int argc, char** argv) {
  uint64_t limit = 0, task = 0, tasks = 1;
  const char* task_text = getenv("ALIQUOT_TASK");
  const char* tasks_text = getenv("ALIQUOT_TASKS");
  if (argc != 2 || !parse(argv[1], 1, UINT32_MAX, &limit)) {
    fprintf(stderr, "usage: primes N   (1 to 4294967295)\n");
    return kUsage;
  }
  if ((tasks_text && !parse(tasks_text, 1, UINT32_MAX, &tasks)) ||
      (task_text && !parse(task_text, 0, tasks - 1, &task))) {
    fprintf(stderr, "primes: ALIQUOT_TASK and ALIQUOT_TASKS are not a task and a number of tasks\n");
    return kUsage;
  }

  const uint64_t first = limit * task / tasks + 1, last = limit * (task + 1) / tasks;
  printf("primes task=%" PRIu64 "/%" PRIu64 " range=[%" PRIu64 ", %" PRIu64 "]\n", task, tasks, first,
         last);
  uint64_t count = 0;
  for (uint64_t number = first, step = 1; number <= last; ++number) {
    count += is_prime(number);
    if ((number - first + 1) * kProgressSteps >= step * (last - first + 1)) {
      if (step < kProgressSteps) printf("primes at=%" PRIu64 " count=%" PRIu64 "\n", number, count);
      ++step;
    }
  }
  printf("primes range=[%" PRIu64 ", %" PRIu64 "] count=%" PRIu64 "\n", first, last, count);
  return 0;
}
