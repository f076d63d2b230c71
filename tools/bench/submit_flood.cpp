// Submits many small jobs to a manager through its job API, as fast as it acknowledges them, for
// tools/bench/budgets: one connection, one request at a time.
//
//   submit_flood SOCKET JOBS
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tools/ctl/client.hpp"

int main(int argc, char** argv) {
  using namespace aliquot;
  if (argc != 3) {
    std::fputs("usage: submit_flood SOCKET JOBS\n", stderr);
    return 2;
  }
  ctl::Client client({argv[1], seconds(60)});
  const long jobs = std::strtol(argv[2], nullptr, 10);
  for (long k = 0; k < jobs; ++k) {
    Submit submit;
    submit.submission.demand.tasks = static_cast<std::uint32_t>(1 + k % 4);
    submit.submission.demand.need = Cpu{kMillion / 4 * (1 + k % 3)};
    submit.submission.demand.memory = Memory{(std::int64_t{32} << 20) * (1 + k % 5)};
    submit.submission.guest_memory = submit.submission.demand.memory;
    submit.submission.program = HashChain{3, 1'000'000};
    submit.submission.name = "flood";
    submit.idempotency_key = ctl::new_idempotency_key();
    if (const auto reply = client.ask(submit); !reply) {
      std::fprintf(stderr, "submit_flood: job %ld: %s\n", k, reply.error().message.c_str());
      return 1;
    }
  }
  std::printf("%ld jobs acknowledged\n", jobs);
  return 0;
}
