// A campaign: a list of instances (workloads on clusters), each to be run under every policy at every
// penalty. A value; running it is run_campaign.hpp.
//
// The plan alone says which cells there are, and in which order they stand in the final files: instances,
// then policies, then penalties. To run them, each instance needs its maker too.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/sim/campaign/cell.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot {

struct InstanceName {
  std::string workload;  // these as in CellKey
  std::string seed;
  std::string load;
  std::string nodes;
  friend bool operator==(const InstanceName&, const InstanceName&) = default;
};

struct CampaignPlan {
  std::string kind;  // "dfrs2010", "hpc2n", "sweep": which report is made of it
  // What made it, for people and to tell campaigns apart. Nothing that leaves the results alone: no
  // workers, no shards.
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<InstanceName> instances;
  std::vector<std::string> policies;   // canonical names
  std::vector<std::string> penalties;  // seconds
  friend bool operator==(const CampaignPlan&, const CampaignPlan&) = default;

  [[nodiscard]] std::size_t cells_of_instance() const { return policies.size() * penalties.size(); }
  // In the order of the plan.
  [[nodiscard]] std::vector<CellKey> keys(const InstanceName& instance) const;
};

struct Maker {
  ClusterShape shape;
  // Makes or reads the workload: called by a worker, once for all cells of the instance.
  std::function<Result<Workload>()> make;
};

struct Campaign {
  CampaignPlan plan;
  std::vector<Maker> makers;  // of plan.instances

  void add(InstanceName name, Maker maker) {
    plan.instances.push_back(std::move(name));
    makers.push_back(std::move(maker));
  }
};

struct Failure {
  CellKey key;
  std::string why;
};

// The instances i with i mod `of` == `number` - 1: together, the shards are the campaign.
struct Shard {
  std::uint32_t number = 1;
  std::uint32_t of = 1;
  friend bool operator==(const Shard&, const Shard&) = default;
};

// "a,b,c".
[[nodiscard]] std::string joined(const std::vector<std::string>& texts);

}  // namespace aliquot
