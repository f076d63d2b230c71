// What a lawful user sees of the manager during a siege: how long `status` and /healthz take, and which
// jobs were acknowledged.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "policies/model/id.hpp"
#include "tools/bench/hostile/hostile_client.hpp"

namespace aliquot::siege {

struct Latencies {
  std::vector<double> ms;
  std::uint64_t failures = 0;  // no answer, or an error
  // The least value that 99 % of the answers keep; failures count as unbounded.
  [[nodiscard]] double percentile99() const;
  [[nodiscard]] double most() const;
};

class LawfulUsers {
 public:
  // The target outlives this.
  explicit LawfulUsers(const Target& target);
  LawfulUsers(const LawfulUsers&) = delete;
  LawfulUsers& operator=(const LawfulUsers&) = delete;
  ~LawfulUsers() { stop(); }
  void stop();

  // After stop().
  [[nodiscard]] const Latencies& status() const { return status_; }
  [[nodiscard]] const Latencies& health() const { return health_; }
  [[nodiscard]] const Latencies& lists() const { return lists_; }
  [[nodiscard]] const std::vector<JobId>& acknowledged() const { return jobs_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  void ask_status();
  void ask_health();
  void ask_lists();
  void submit_jobs();

  const Target& target_;
  std::atomic<bool> stop_{false};
  Latencies status_;
  Latencies health_;
  Latencies lists_;
  std::vector<JobId> jobs_;
  std::uint64_t refused_ = 0;
  std::vector<std::thread> threads_;
};

// Submits so many jobs, one after the other; those that were acknowledged.
[[nodiscard]] std::vector<JobId> submit(const Target& target, std::size_t jobs);
// How many of these the manager does not know.
[[nodiscard]] std::size_t count_lost(const Target& target, const std::vector<JobId>& jobs);

}  // namespace aliquot::siege
