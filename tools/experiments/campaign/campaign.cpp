#include "tools/experiments/campaign/campaign.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "tools/experiments/campaign/progress.hpp"
#include "tools/sim/run_trial.hpp"

namespace aliquot {
namespace {

// A library may throw, for example for want of memory: that fails one trial, not the campaign.
template <class Value, class Function>
Result<Value> guarded(Function function) {
  try {
    return function();
  } catch (const std::exception& error) {
    return fail(ErrorKind::internal, std::string("stopped by ") + error.what());
  }
}

// The workload of an instance. The first worker that needs it makes it; others wait for that.
class SharedWorkload {
 public:
  explicit SharedWorkload(const InstanceSource& source) : maker_(source) {}
  [[nodiscard]] const Result<Workload>& get() {
    std::call_once(once_, [this] { made_ = guarded<Workload>([this] { return maker_.make(); }); });
    return made_;
  }

 private:
  const InstanceSource& maker_;
  std::once_flag once_;
  Result<Workload> made_;
};

struct PendingTrial {
  TrialKey key;
  const ClusterShape* shape;
  std::shared_ptr<SharedWorkload> workload;
};

// The trials that are left, shared by the workers under one lock.
class WorkQueue {
 public:
  WorkQueue(const Campaign& campaign, Shard shard, TrialJournal& journal);
  void work();  // runs trials until none is left: the body of a worker
  [[nodiscard]] Result<Results> results();

 private:
  [[nodiscard]] std::size_t count_done(Shard shard) const;
  void queue_instance(std::size_t instance);
  [[nodiscard]] std::optional<PendingTrial> next();
  void report(const TrialKey& key, Result<Trial> trial);

  const Campaign& campaign_;
  TrialJournal& journal_;
  std::mutex lock_;
  std::size_t next_instance_;
  const std::size_t stride_;
  std::deque<PendingTrial> queue_;  // of the instances before it
  std::set<TrialKey> done_;
  std::vector<Trial> trials_;
  std::vector<Failure> failures_;
  std::optional<Error> broken_;  // the journal cannot be written: all workers stop
  CampaignProgress progress_;
};

std::set<TrialKey> keys_of(const std::vector<Trial>& trials) {
  std::set<TrialKey> keys;
  for (const Trial& trial : trials) keys.insert(trial.key);
  return keys;
}

WorkQueue::WorkQueue(const Campaign& campaign, Shard shard, TrialJournal& journal)
    : campaign_(campaign),
      journal_(journal),
      next_instance_(shard.number - 1),
      stride_(shard.of),
      done_(keys_of(journal.found())),
      trials_(journal.found()),
      progress_(shard_trials(campaign.plan, shard), count_done(shard)) {}

std::size_t WorkQueue::count_done(Shard shard) const {
  std::size_t count = 0;
  const CampaignPlan& plan = campaign_.plan;
  for (std::size_t i = shard.number - 1; i < plan.instances.size(); i += shard.of)
    for (const TrialKey& key : plan.keys(plan.instances[i])) count += done_.count(key);
  return count;
}

void WorkQueue::queue_instance(std::size_t instance) {
  const InstanceSource& source = campaign_.sources[instance];
  const auto workload = std::make_shared<SharedWorkload>(source);
  for (TrialKey& key : campaign_.plan.keys(campaign_.plan.instances[instance]))
    if (!done_.contains(key)) queue_.push_back({std::move(key), &source.shape, workload});
}

std::optional<PendingTrial> WorkQueue::next() {
  const std::scoped_lock hold(lock_);
  for (; queue_.empty() && next_instance_ < campaign_.sources.size(); next_instance_ += stride_)
    queue_instance(next_instance_);
  if (broken_ || queue_.empty()) return std::nullopt;
  PendingTrial pending = std::move(queue_.front());
  queue_.pop_front();
  return pending;
}

void WorkQueue::report(const TrialKey& key, Result<Trial> trial) {
  const std::scoped_lock hold(lock_);
  if (!trial) {
    progress_.say("failed: " + name_of(key) + ": " + trial.error().message);
    failures_.push_back({key, trial.error().message});
  } else {
    trial->key = key;
    if (auto kept = journal_.append(*trial); !kept && !broken_) broken_ = kept.error();
    trials_.push_back(std::move(*trial));
  }
  progress_.done();
}

void WorkQueue::work() {
  while (auto pending = next()) {
    const Result<Workload>& workload = pending->workload->get();
    if (!workload) {
      report(pending->key, tl::unexpected(workload.error()));
      continue;
    }
    report(pending->key, guarded<Trial>([&] {
             return run_trial(*workload, *pending->shape, pending->key.policy, pending->key.penalty);
           }));
  }
}

Result<Results> WorkQueue::results() {
  progress_.finish();
  if (!broken_) {
    if (auto synced = journal_.sync(); !synced) broken_ = synced.error();
  }
  if (broken_) return tl::unexpected(*broken_);
  auto results = collect(campaign_.plan, trials_);
  if (!results) return results;
  results->failures = std::move(failures_);
  std::ranges::sort(results->failures, {}, &Failure::key);
  return results;
}

bool same_but_time(const Trial& a, const Trial& b) {
  return trial_line(a, Columns::repeatable) == trial_line(b, Columns::repeatable);
}

}  // namespace

std::size_t shard_trials(const CampaignPlan& plan, Shard shard) {
  const std::size_t instances = (plan.instances.size() + shard.of - shard.number) / shard.of;
  return instances * plan.trials_of_instance();
}

std::vector<TrialKey> CampaignPlan::keys(const InstanceName& instance) const {
  std::vector<TrialKey> list;
  for (const std::string& policy : policies)
    for (const std::string& penalty : penalties)
      list.push_back({instance.workload, instance.seed, instance.load, instance.nodes, policy, penalty});
  return list;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& part : texts) text.append(text.empty() ? "" : ",").append(part);
  return text;
}

Result<Results> collect(const CampaignPlan& plan, const std::vector<Trial>& trials) {
  std::map<TrialKey, const Trial*> by_key;
  for (const Trial& trial : trials) {
    const auto [first, is_new] = by_key.emplace(trial.key, &trial);
    if (is_new || same_but_time(*first->second, trial)) continue;
    return fail(ErrorKind::conflict, name_of(trial.key) + ": done twice, with different results");
  }
  Results results;
  for (const InstanceName& instance : plan.instances) {
    for (const TrialKey& key : plan.keys(instance)) {
      const auto found = by_key.find(key);
      if (found == by_key.end()) {
        ++results.missing;
        continue;
      }
      results.trials.push_back(*found->second);
      by_key.erase(found);
    }
  }
  if (by_key.empty()) return results;
  return fail(ErrorKind::conflict, name_of(by_key.begin()->first) + ": is no trial of this campaign");
}

Result<Results> run_campaign(const Campaign& campaign, Shard shard, unsigned workers,
                             TrialJournal& journal) {
  if (auto known = collect(campaign.plan, journal.found()); !known) return known;
  WorkQueue queue(campaign, shard, journal);
  std::vector<std::thread> others;
  for (unsigned i = 1; i < workers; ++i) others.emplace_back([&queue] { queue.work(); });
  queue.work();
  for (std::thread& other : others) other.join();
  return queue.results();
}

}  // namespace aliquot
