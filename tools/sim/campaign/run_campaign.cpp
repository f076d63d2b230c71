#include "tools/sim/campaign/run_campaign.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "tools/sim/campaign/progress.hpp"
#include "tools/sim/campaign/run_cell.hpp"

namespace aliquot {
namespace {

// A library may throw (memory): that costs one cell.
template <class Value, class Function>
Result<Value> guarded(Function function) {
  try {
    return function();
  } catch (const std::exception& error) {
    return fail(ErrorKind::internal, std::string("stopped by ") + error.what());
  }
}

// Made by the first worker that needs it, while the others that need it wait.
class SharedWorkload {
 public:
  explicit SharedWorkload(const Maker& maker) : maker_(maker) {}
  [[nodiscard]] const Result<Workload>& get() {
    std::call_once(once_, [this] { made_ = guarded<Workload>([this] { return maker_.make(); }); });
    return made_;
  }

 private:
  const Maker& maker_;
  std::once_flag once_;
  Result<Workload> made_;
};

struct Errand {
  CellKey key;
  const ClusterShape* shape;
  std::shared_ptr<SharedWorkload> workload;
};

// What several workers share, all of it under one lock.
class Workshop {
 public:
  Workshop(const Campaign& campaign, Shard shard, CellJournal& journal);
  void work();  // until nothing is left: the body of a worker
  [[nodiscard]] Result<Results> results();

 private:
  [[nodiscard]] std::size_t count_done(Shard shard) const;
  void queue_instance(std::size_t instance);
  [[nodiscard]] std::optional<Errand> next();
  void report(const CellKey& key, Result<Cell> cell);

  const Campaign& campaign_;
  CellJournal& journal_;
  std::mutex lock_;
  std::size_t next_;  // instance
  const std::size_t stride_;
  std::deque<Errand> queue_;  // of the instance before
  std::set<CellKey> done_;
  std::vector<Cell> cells_;
  std::vector<Failure> failures_;
  std::optional<Error> broken_;  // the journal: all stop
  CampaignProgress progress_;
};

std::size_t shard_cells(const CampaignPlan& plan, Shard shard) {
  const std::size_t instances = (plan.instances.size() + shard.of - shard.number) / shard.of;
  return instances * plan.cells_of_instance();
}

std::set<CellKey> keys_of(const std::vector<Cell>& cells) {
  std::set<CellKey> keys;
  for (const Cell& cell : cells) keys.insert(cell.key);
  return keys;
}

Workshop::Workshop(const Campaign& campaign, Shard shard, CellJournal& journal)
    : campaign_(campaign),
      journal_(journal),
      next_(shard.number - 1),
      stride_(shard.of),
      done_(keys_of(journal.found())),
      cells_(journal.found()),
      progress_(shard_cells(campaign.plan, shard), count_done(shard)) {}

std::size_t Workshop::count_done(Shard shard) const {
  std::size_t count = 0;
  const CampaignPlan& plan = campaign_.plan;
  for (std::size_t i = shard.number - 1; i < plan.instances.size(); i += shard.of)
    for (const CellKey& key : plan.keys(plan.instances[i])) count += done_.count(key);
  return count;
}

void Workshop::queue_instance(std::size_t instance) {
  const Maker& maker = campaign_.makers[instance];
  const auto workload = std::make_shared<SharedWorkload>(maker);
  for (CellKey& key : campaign_.plan.keys(campaign_.plan.instances[instance]))
    if (!done_.contains(key)) queue_.push_back({std::move(key), &maker.shape, workload});
}

std::optional<Errand> Workshop::next() {
  const std::scoped_lock hold(lock_);
  for (; queue_.empty() && next_ < campaign_.makers.size(); next_ += stride_) queue_instance(next_);
  if (broken_ || queue_.empty()) return std::nullopt;
  Errand errand = std::move(queue_.front());
  queue_.pop_front();
  return errand;
}

void Workshop::report(const CellKey& key, Result<Cell> cell) {
  const std::scoped_lock hold(lock_);
  if (!cell) {
    progress_.say("failed: " + name_of(key) + ": " + cell.error().message);
    failures_.push_back({key, cell.error().message});
  } else {
    cell->key = key;
    if (auto kept = journal_.append(*cell); !kept && !broken_) broken_ = kept.error();
    cells_.push_back(std::move(*cell));
  }
  progress_.done();
}

void Workshop::work() {
  while (auto errand = next()) {
    const Result<Workload>& workload = errand->workload->get();
    if (!workload) {
      report(errand->key, tl::unexpected(workload.error()));
      continue;
    }
    report(errand->key, guarded<Cell>([&] {
             return run_cell(*workload, *errand->shape, errand->key.policy, errand->key.penalty);
           }));
  }
}

Result<Results> Workshop::results() {
  progress_.finish();
  if (!broken_) {
    if (auto synced = journal_.sync(); !synced) broken_ = synced.error();
  }
  if (broken_) return tl::unexpected(*broken_);
  auto results = collect(campaign_.plan, cells_);
  if (!results) return results;
  results->failures = std::move(failures_);
  std::ranges::sort(results->failures, {}, &Failure::key);
  return results;
}

bool same_but_time(const Cell& a, const Cell& b) {
  return cell_line(a, Columns::repeatable) == cell_line(b, Columns::repeatable);
}

}  // namespace

Result<Results> collect(const CampaignPlan& plan, const std::vector<Cell>& cells) {
  std::map<CellKey, const Cell*> by_key;
  for (const Cell& cell : cells) {
    const auto [first, is_new] = by_key.emplace(cell.key, &cell);
    if (is_new || same_but_time(*first->second, cell)) continue;
    return fail(ErrorKind::conflict, name_of(cell.key) + ": done twice, with different results");
  }
  Results results;
  for (const InstanceName& instance : plan.instances) {
    for (const CellKey& key : plan.keys(instance)) {
      const auto found = by_key.find(key);
      if (found == by_key.end()) {
        ++results.missing;
        continue;
      }
      results.cells.push_back(*found->second);
      by_key.erase(found);
    }
  }
  if (by_key.empty()) return results;
  return fail(ErrorKind::conflict, name_of(by_key.begin()->first) + ": is no cell of this campaign");
}

Result<Results> run_campaign(const Campaign& campaign, Shard shard, unsigned workers,
                             CellJournal& journal) {
  if (auto known = collect(campaign.plan, journal.found()); !known) return known;
  Workshop workshop(campaign, shard, journal);
  std::vector<std::thread> others;
  for (unsigned i = 1; i < workers; ++i) others.emplace_back([&workshop] { workshop.work(); });
  workshop.work();
  for (std::thread& other : others) other.join();
  return workshop.results();
}

}  // namespace aliquot
