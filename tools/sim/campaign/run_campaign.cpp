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
  explicit SharedWorkload(const Instance& instance) : instance_(instance) {}
  [[nodiscard]] const Result<Workload>& get() {
    std::call_once(once_, [this] { made_ = guarded<Workload>([this] { return instance_.make(); }); });
    return made_;
  }

 private:
  const Instance& instance_;
  std::once_flag once_;
  Result<Workload> made_;
};

struct Errand {
  CellKey key;
  const Instance* instance;
  std::string policy;
  Duration penalty;
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
  void queue_instance(const Instance& instance);
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

std::size_t shard_cells(const Campaign& campaign, Shard shard) {
  if (campaign.instances.empty()) return 0;
  const std::size_t instances = (campaign.instances.size() + shard.of - shard.number) / shard.of;
  return instances * campaign.policies.size() * campaign.penalties.size();
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
      progress_(shard_cells(campaign, shard), count_done(shard)) {}

std::size_t Workshop::count_done(Shard shard) const {
  std::size_t count = 0;
  for (std::size_t i = shard.number - 1; i < campaign_.instances.size(); i += shard.of)
    for (const std::string& policy : campaign_.policies)
      for (const Duration penalty : campaign_.penalties)
        count += done_.count(campaign_.key(campaign_.instances[i], policy, penalty));
  return count;
}

void Workshop::queue_instance(const Instance& instance) {
  const auto workload = std::make_shared<SharedWorkload>(instance);
  for (const std::string& policy : campaign_.policies) {
    for (const Duration penalty : campaign_.penalties) {
      CellKey key = campaign_.key(instance, policy, penalty);
      if (!done_.contains(key)) queue_.push_back({std::move(key), &instance, policy, penalty, workload});
    }
  }
}

std::optional<Errand> Workshop::next() {
  const std::scoped_lock hold(lock_);
  for (; queue_.empty() && next_ < campaign_.instances.size(); next_ += stride_)
    queue_instance(campaign_.instances[next_]);
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
             return run_cell(*workload, errand->instance->shape, errand->policy, errand->penalty);
           }));
  }
}

Result<Results> Workshop::results() {
  progress_.finish();
  if (!broken_) {
    if (auto synced = journal_.sync(); !synced) broken_ = synced.error();
  }
  if (broken_) return tl::unexpected(*broken_);
  auto results = collect(campaign_, cells_);
  if (!results) return results;
  results->failures = std::move(failures_);
  std::ranges::sort(results->failures, {}, &Failure::key);
  results->reused = journal_.found().size();
  return results;
}

bool same_but_time(const Cell& a, const Cell& b) {
  return cell_line(a, Columns::repeatable) == cell_line(b, Columns::repeatable);
}

}  // namespace

Result<Results> collect(const Campaign& campaign, const std::vector<Cell>& cells) {
  std::map<CellKey, const Cell*> by_key;
  for (const Cell& cell : cells) {
    const auto [first, is_new] = by_key.emplace(cell.key, &cell);
    if (is_new || same_but_time(*first->second, cell)) continue;
    return fail(ErrorKind::conflict, name_of(cell.key) + ": done twice, with different results");
  }
  Results results;
  for (const Instance& instance : campaign.instances) {
    for (const std::string& policy : campaign.policies) {
      for (const Duration penalty : campaign.penalties) {
        const auto found = by_key.find(campaign.key(instance, policy, penalty));
        if (found == by_key.end()) {
          ++results.missing;
          continue;
        }
        results.cells.push_back(*found->second);
        by_key.erase(found);
      }
    }
  }
  if (by_key.empty()) return results;
  return fail(ErrorKind::conflict, name_of(by_key.begin()->first) + ": is no cell of this campaign");
}

Result<Results> run_campaign(const Campaign& campaign, Shard shard, unsigned workers,
                             CellJournal& journal) {
  if (auto known = collect(campaign, journal.found()); !known) return known;
  Workshop workshop(campaign, shard, journal);
  std::vector<std::thread> others;
  for (unsigned i = 1; i < workers; ++i) others.emplace_back([&workshop] { workshop.work(); });
  workshop.work();
  for (std::thread& other : others) other.join();
  return workshop.results();
}

}  // namespace aliquot
