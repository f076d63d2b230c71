#include "manager/store/writer.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace aliquot {

namespace {

// Long enough for the step that follows an answer to arrive, short enough that an answer without a step
// becomes durable soon.
constexpr auto kAnswerPatience = std::chrono::milliseconds(50);
// Bounds the memory and the time of one transaction.
constexpr std::size_t kMaxGroup = 1024;
constexpr auto kTryAgain = std::chrono::seconds(1);  // on a full disk

bool is_answer(const Work& work) { return std::holds_alternative<Answer>(work); }

// The newest number among the steps of a group; 0 if it holds none.
std::uint64_t newest_step(const std::vector<Work>& group) {
  for (auto work = group.rbegin(); work != group.rend(); ++work) {
    if (const auto* step = std::get_if<Step>(&*work)) return step->number;
  }
  return 0;
}

template <class Queue, class Found>
void each_outcome(const Queue& works, Found found) {
  for (const Work& work : works) {
    if (const auto* step = std::get_if<Step>(&work)) {
      for (const JobOutcome& outcome : step->ended) found(outcome);
    }
  }
}

void take_older_hours(std::deque<Work>& queue, CpuUses& uses) {
  std::set<std::tuple<std::int64_t, fairness::AccountUser, std::optional<JobId>>> told;
  for (const HourUse& hour : uses.hours) told.emplace(hour.hour, hour.user, hour.job);
  for (auto before = queue.rbegin(); before != queue.rend(); ++before)
    if (auto* older = std::get_if<CpuUses>(&*before))
      for (HourUse& hour : older->hours)
        if (told.emplace(hour.hour, hour.user, hour.job).second) uses.hours.push_back(std::move(hour));
}

// What the work says again is removed from the queue: while nothing is written and no step is made, the
// queue would grow by nothing but such work.
void take_place(std::deque<Work>& queue, Work& work) {
  const auto is_replaced = [&work](const Work& before) {
    if (const auto* learned = std::get_if<Learned>(&work)) {
      const auto* older = std::get_if<Learned>(&before);
      return older != nullptr && older->name == learned->name;
    }
    const bool is_whole = std::holds_alternative<Snapshot>(work) ||
                          std::holds_alternative<ClockRow>(work) ||
                          std::holds_alternative<KnownNodes>(work) || std::holds_alternative<CpuUses>(work);
    return is_whole && before.index() == work.index();
  };
  if (auto* uses = std::get_if<CpuUses>(&work)) {  // of some jobs
    std::set<JobId> told;
    for (const auto& [job, use] : uses->uses) told.insert(job);
    for (auto before = queue.rbegin(); before != queue.rend(); ++before)
      if (auto* older = std::get_if<CpuUses>(&*before))
        for (auto& use : older->uses)
          if (told.insert(use.first).second) uses->uses.push_back(std::move(use));
    take_older_hours(queue, *uses);
  }
  std::erase_if(queue, is_replaced);
}

}  // namespace

Writer::~Writer() {
  {
    const Lock lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Writer::start(Store::Durable durable, Store::Failed failed) {
  const Lock lock(mutex_);
  if (running_) return;
  on_durable_ = std::move(durable);
  on_failed_ = std::move(failed);
  running_ = true;
  thread_ = std::thread([this] { run(); });
}

void Writer::put(Work work) {
  {
    const Lock lock(mutex_);
    if (failed_) return;
    if (blocked_) take_place(queue_, work);
    queue_.push_back(std::move(work));
    last_put_ = std::chrono::steady_clock::now();
  }
  work_.notify_one();
}

bool Writer::flush() {
  Lock lock(mutex_);
  if (!running_) return queue_.empty();
  ++flushing_;
  work_.notify_one();
  idle_.wait(lock, [&] { return reported_ || blocked_ || (!failed_ && queue_.empty() && group_.empty()); });
  --flushing_;
  return !failed_ && !blocked_;
}

void Writer::fail_with(Error error) {
  {
    const Lock lock(mutex_);
    if (std::exchange(failed_, true)) return;
    queue_.clear();
  }
  work_.notify_all();
  if (on_failed_) on_failed_(std::move(error));
  {
    const Lock lock(mutex_);
    reported_ = true;
  }
  idle_.notify_all();
}

// How much of the queue may be written now: up to its last step or snapshot, all of it if flush() waits
// or the answers at its end have waited long enough.
std::size_t Writer::due(std::chrono::steady_clock::time_point now) const {
  const bool all = stopping_ || flushing_ > 0 || now - last_put_ >= kAnswerPatience;
  if (all && queue_.size() <= kMaxGroup) return queue_.size();
  std::size_t count = std::min(queue_.size(), kMaxGroup);
  while (count > 0 && is_answer(queue_[count - 1])) --count;
  // Too many answers without a step: commit them without it.
  return count == 0 && queue_.size() > kMaxGroup ? kMaxGroup : count;
}

void Writer::run() {
  Lock lock(mutex_);
  while (!failed_) {
    if (const std::size_t count = due(std::chrono::steady_clock::now()); count > 0) {
      write(lock, count);
    } else if (stopping_) {
      return;
    } else if (queue_.empty()) {
      work_.wait(lock);
    } else {
      work_.wait_until(lock, last_put_ + kAnswerPatience);
    }
  }
}

void Writer::set_blocked(const std::optional<Error>& why) {
  {
    const Lock lock(mutex_);
    if (blocked_ == why.has_value()) return;
    blocked_ = why.has_value();
  }
  idle_.notify_all();
  if (on_blocked_) on_blocked_(why);
}

Result<void> Writer::commit_group() {
  for (;;) {
    auto done = commit_.commit(group_);
    if (done || !commit_.disk_is_full()) {
      set_blocked(std::nullopt);
      return done;
    }
    set_blocked(done.error());
    Lock lock(mutex_);
    if (work_.wait_for(lock, kTryAgain, [this] { return stopping_; })) return done;
  }
}

void Writer::write(Lock& lock, std::size_t count) {
  const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(count);
  group_.assign(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
  queue_.erase(queue_.begin(), end);
  lock.unlock();
  const auto done = commit_group();
  const std::uint64_t newest = newest_step(group_);
  if (!done) {
    lock.lock();
    // The manager is going, and this was never acknowledged.
    if (stopping_ && commit_.disk_is_full()) failed_ = true;
    if (failed_) return;
    lock.unlock();
    fail_with(done.error());
    lock.lock();
    return;
  }
  lock.lock();
  // A failed reader has stopped the acknowledgements meanwhile.
  const bool acknowledge = newest != 0 && !failed_ && on_durable_;
  lock.unlock();
  if (acknowledge) on_durable_(newest);
  lock.lock();
  group_.clear();
  idle_.notify_all();
}

std::optional<JobOutcome> Writer::pending_outcome(JobId job) const {
  const Lock lock(mutex_);
  std::optional<JobOutcome> result;
  const auto look = [&](const JobOutcome& outcome) {
    if (outcome.job == job) result = outcome;
  };
  each_outcome(group_, look);
  each_outcome(queue_, look);
  return result;
}

std::vector<JobOutcome> Writer::pending_outcomes() const {
  const Lock lock(mutex_);
  std::vector<JobOutcome> result;
  const auto take = [&](const JobOutcome& outcome) { result.push_back(outcome); };
  each_outcome(group_, take);
  each_outcome(queue_, take);
  return result;
}

std::optional<Store::Answered> Writer::pending_answer(const IdempotencyKey& key) const {
  const Lock lock(mutex_);
  const auto match = [&](const Work& work) {
    const auto* answer = std::get_if<Answer>(&work);
    return answer != nullptr && answer->key == key;
  };
  // The first answer is kept.
  for (const Work& work : group_) {
    if (match(work)) return std::get<Answer>(work).answered;
  }
  for (const Work& work : queue_) {
    if (match(work)) return std::get<Answer>(work).answered;
  }
  return std::nullopt;
}

}  // namespace aliquot
