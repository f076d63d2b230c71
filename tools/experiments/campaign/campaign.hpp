// A campaign: a list of instances (workloads on clusters), each simulated under every policy at every
// penalty. The plan says which trials there are and in which order they stand in the files: by instance,
// then by policy, then by penalty. A source makes the workload of an instance.
//
// run_campaign() simulates the trials that are not in the journal yet, on several threads. Trials do not
// influence each other, so the number of threads changes nothing but the time. A trial that fails is
// reported at once, does not stop the others, and is tried again by the next run of the campaign.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/experiments/campaign/trial_journal.hpp"
#include "tools/sim/trial.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot {

struct InstanceName {
  std::string workload;  // these as in TrialKey
  std::string seed;
  std::string load;
  std::string nodes;
  friend bool operator==(const InstanceName&, const InstanceName&) = default;
};

struct CampaignPlan {
  std::string kind;  // "dfrs2010", "hpc2n", "sweep": which report is made of it
  // The options that determine the results, as texts: for the report, and to tell campaigns apart. The
  // number of workers and the shard do not belong here.
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<InstanceName> instances;
  std::vector<std::string> policies;   // canonical names
  std::vector<std::string> penalties;  // seconds
  friend bool operator==(const CampaignPlan&, const CampaignPlan&) = default;

  [[nodiscard]] std::size_t trials_of_instance() const { return policies.size() * penalties.size(); }
  // In the order of the plan.
  [[nodiscard]] std::vector<TrialKey> keys(const InstanceName& instance) const;
};

struct InstanceSource {
  ClusterShape shape;
  // Makes or reads the workload. Called by one worker, once for all trials of the instance.
  std::function<Result<Workload>()> make;
};

struct Campaign {
  CampaignPlan plan;
  std::vector<InstanceSource> sources;  // of plan.instances

  void add(InstanceName name, InstanceSource source) {
    plan.instances.push_back(std::move(name));
    sources.push_back(std::move(source));
  }
};

struct Failure {
  TrialKey key;
  std::string why;
};

// A part of a campaign: the instances i with i mod `of` == `number` - 1.
struct Shard {
  std::uint32_t number = 1;
  std::uint32_t of = 1;
  friend bool operator==(const Shard&, const Shard&) = default;
};

// How many trials it has.
[[nodiscard]] std::size_t shard_trials(const CampaignPlan& plan, Shard shard);

// "a,b,c".
[[nodiscard]] std::string joined(const std::vector<std::string>& texts);

struct Results {
  std::vector<Trial> trials;  // in the campaign's order
  std::vector<Failure> failures;
  std::size_t missing = 0;  // trials of the whole campaign without figures: other shards', and failed ones
};

// `trials` in the campaign's order. Errors: a trial that does not belong to the campaign; two trials of one
// key whose repeatable figures differ.
[[nodiscard]] Result<Results> collect(const CampaignPlan& plan, const std::vector<Trial>& trials);

// Errors: as above, and a journal that cannot be written.
[[nodiscard]] Result<Results> run_campaign(const Campaign& campaign, Shard shard, unsigned workers,
                                           TrialJournal& journal);

}  // namespace aliquot
