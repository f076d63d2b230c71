// The smallest world in which a policy can be run to the end: jobs come, progress at their yields and go;
// every plan passes the checker and is carried out at once. No manager, no hypervisor, no delays but the
// rescheduling penalty. For laws about whole runs: every job finishes, none starves.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "policies/policy.hpp"

namespace aliquot::test {

struct ToyJob {
  JobId id;
  Instant submit;
  Demand demand;
  Duration alone;
};

struct ToyResult {
  std::map<JobId, Instant> start;
  std::map<JobId, Instant> end;
  std::map<JobId, Instant> promised;  // the first reservation that the policy's memory held
  std::size_t decisions = 0;
  std::string complaint;  // empty: every plan was lawful, and the run came to an end
};

class ToyCluster {
 public:
  ToyCluster(std::vector<Node> nodes, std::vector<ToyJob> jobs, Duration restart);

  // From `at` on another policy decides.
  void switch_policy(Instant at, const std::string& spec) { switches_.emplace(at, spec); }
  [[nodiscard]] ToyResult run(const std::string& spec, std::size_t most_decisions = 1'000'000);

 private:
  [[nodiscard]] Instant next_event() const;
  void take_events(ToyResult& result);
  void decide(ToyResult& result);

  ClusterView view_;
  std::vector<ToyJob> to_come_;  // the next one last
  std::map<JobId, Duration> alone_;
  std::multimap<Instant, std::string> switches_;
  std::unique_ptr<Policy> policy_;
  std::optional<Instant> wake_at_;
};

}  // namespace aliquot::test
