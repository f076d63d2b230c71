// A campaign: a list of instances (workloads on clusters), each to be run under every policy at every
// penalty. A value; running it is run_campaign.hpp.
//
// The order of the cells (instances, then policies, then penalties) is the order of the final files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/sim/campaign/cell.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot {

struct Instance {
  std::string workload;  // as in CellKey
  std::string seed;
  std::string load;
  ClusterShape shape;
  // Makes or reads it: called by a worker, once for all cells of the instance.
  std::function<Result<Workload>()> make;
};

struct Campaign {
  std::string kind;  // "dfrs2010", "hpc2n", "sweep"
  // What made it, key by key; together with the program's version it names the campaign. Not what leaves
  // the results alone: workers, shards.
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<Instance> instances;
  std::vector<std::string> policies;  // canonical names
  std::vector<Duration> penalties;

  [[nodiscard]] std::size_t size() const { return instances.size() * policies.size() * penalties.size(); }
  [[nodiscard]] CellKey key(const Instance& instance, const std::string& policy, Duration penalty) const;
};

struct Failure {
  CellKey key;
  std::string why;
};

}  // namespace aliquot
