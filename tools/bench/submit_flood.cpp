// Submits many small jobs to a manager through its job API, as fast as it acknowledges them, for
// tools/bench/budgets: one connection, one request at a time, of one job or of so many together.
//
//   submit_flood SOCKET JOBS [TOGETHER]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tools/ctl/client.hpp"

namespace {

using namespace aliquot;

Submit job(long k) {
  Submit submit;
  submit.submission.demand.tasks = static_cast<std::uint32_t>(1 + k % 4);
  submit.submission.demand.need = Cpu{kMillion / 4 * (1 + k % 3)};
  submit.submission.demand.memory = Memory{(std::int64_t{32} << 20) * (1 + k % 5)};
  submit.submission.guest_memory = submit.submission.demand.memory;
  submit.submission.program = HashChain{3, 1'000'000};
  submit.submission.name = "flood";
  return submit;
}

Request request(long first, long count) {
  if (count == 1) {
    Submit one = job(first);
    one.idempotency_key = ctl::new_idempotency_key();
    return one;
  }
  SubmitMany many;
  for (long k = 0; k < count; ++k) many.jobs.push_back(job(first + k));
  many.idempotency_key = ctl::new_idempotency_key();
  return many;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fputs("usage: submit_flood SOCKET JOBS [TOGETHER]\n", stderr);
    return 2;
  }
  ctl::Client client({argv[1], seconds(60)});
  const long jobs = std::strtol(argv[2], nullptr, 10);
  const long together = argc == 4 ? std::max(1L, std::strtol(argv[3], nullptr, 10)) : 1;
  const auto begun = std::chrono::steady_clock::now();
  for (long k = 0; k < jobs; k += together)
    if (const auto reply = client.ask(request(k, std::min(together, jobs - k))); !reply) {
      std::fprintf(stderr, "submit_flood: job %ld: %s\n", k, reply.error().message.c_str());
      return 1;
    }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  std::printf("%ld jobs acknowledged\n", jobs);
  std::fprintf(stderr, "%.0f jobs a second\n", static_cast<double>(jobs) / took.count());
  return 0;
}
