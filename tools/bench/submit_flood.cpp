// Submits many small jobs to a manager through its job API, as fast as it acknowledges them, for
// tools/bench/budgets and tools/bench/remote_clients: one connection, one request at a time, of one job or
// of so many together; with the file of a key over TCP. Prints how many were acknowledged, and in how many
// seconds.
//
//   submit_flood SERVER JOBS [TOGETHER [KEY]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

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
  if (argc < 3 || argc > 5) {
    std::fputs("usage: submit_flood SERVER JOBS [TOGETHER [KEY]]\n", stderr);
    return 2;
  }
  ctl::ClientSettings settings{argv[1], seconds(60)};
  if (argc == 5) {
    auto key = ctl::read_remote_key(argv[4]);
    if (!key) {
      std::fprintf(stderr, "submit_flood: %s\n", key.error().message.c_str());
      return 2;
    }
    settings.key = std::make_shared<const ctl::RemoteKey>(std::move(*key));
  }
  ctl::Client client(settings);
  const long jobs = std::strtol(argv[2], nullptr, 10);
  const long together = argc >= 4 ? std::max(1L, std::strtol(argv[3], nullptr, 10)) : 1;
  const auto begun = std::chrono::steady_clock::now();
  for (long k = 0; k < jobs; k += together)
    if (const auto reply = client.ask(request(k, std::min(together, jobs - k))); !reply) {
      std::fprintf(stderr, "submit_flood: job %ld: %s\n", k, reply.error().message.c_str());
      return 1;
    }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  std::printf("%ld jobs acknowledged in %.3f s\n", jobs, took.count());
  return 0;
}
