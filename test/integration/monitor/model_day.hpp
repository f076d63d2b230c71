// A piece of a cluster's day for the dashboards: nodes, a stream of jobs of five accounts, what goes wrong.
// Drawn from a seed.
#pragma once

#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "manager/hypervisor/model/model_options.hpp"
#include "monitor/record/event.hpp"

namespace aliquot::test {

inline constexpr std::uint32_t kDayNodes = 12;

inline std::vector<Node> day_nodes() {
  std::vector<Node> nodes;
  for (std::uint32_t i = 0; i < kDayNodes; ++i)
    nodes.push_back({{i},
                     (i < 9 ? "node-0" : "node-") + std::to_string(i + 1),
                     cores(16),
                     mebibytes(64 * 1024),
                     NodeState::up,
                     16});
  return nodes;
}

// Actions take their time, one in two hundred fails, one node falls silent for a while and another dies.
inline ModelOptions day_options(Instant noon) {
  ModelOptions options;
  options.seed = 7;
  options.penalty = seconds(2);
  const auto at = [](ActionKind kind) { return static_cast<std::size_t>(kind); };
  for (auto& delay : options.delay) delay = Duration{20'000};
  options.delay[at(ActionKind::create)] = seconds(2);
  options.delay[at(ActionKind::restore)] = seconds(1);
  options.jitter = Duration{400'000};
  for (const auto kind : {ActionKind::save, ActionKind::restore, ActionKind::migrate})
    options.bandwidth[at(kind)] = std::int64_t{4} << 30;
  for (auto& chance : options.fail) chance = 5'000;
  options.outages.push_back({{4}, noon + seconds(600), seconds(420), false});
  options.outages.push_back({{9}, noon + seconds(1500), seconds(600), true});
  return options;
}

// The jobs, one after another: more than fits for twenty minutes, then less.
class DayJobs {
 public:
  explicit DayJobs(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] Instant next() const { return next_; }
  // What has been learned of needs by now, of jobs that may have ended.
  std::vector<Event> found(Instant now) {
    std::vector<Event> all;
    for (; !found_.empty() && found_.front().first <= now; found_.pop_front())
      all.push_back(found_.front().second);
    return all;
  }
  Submitted take() {
    const auto pick = [this](auto... each) {
      const std::vector<std::int64_t> from{each...};
      return from[random_() % from.size()];
    };
    Submission job;
    const std::uint64_t who = random_() % 10;
    job.account = who < 4   ? "physics"
                  : who < 6 ? "climate"
                  : who < 8 ? "genomics"
                  : who < 9 ? "vision"
                            : "";
    // Each application has run times of its own, of which users know little.
    constexpr std::pair<const char*, std::int64_t> kApplications[] = {
        {"model", 1200}, {"align", 420}, {"render", 120}};
    const auto& [name, usual] = kApplications[random_() % std::size(kApplications)];
    job.name = name;
    job.demand.tasks = static_cast<std::uint32_t>(pick(1, 1, 2, 2, 4, 4, 8));
    job.demand.need = {pick(250'000, 500'000, 1'000'000, 1'000'000, 2'000'000, 4'000'000)};
    job.demand.memory = mebibytes(pick(512, 1024, 2048, 4096, 6144, 12288));
    const Duration alone = seconds(usual * pick(60, 80, 100, 120) / 100);
    job.demand.estimate = alone * pick(1, 2, 3, 6);
    job.program = ModelWork{alone, random_() % 25 == 0 ? 1 : 0};
    const Submitted submitted{{++last_}, std::move(job)};
    if (random_() % 3 == 0)
      found_.emplace_back(next_ + seconds(60),
                          NeedLearned{submitted.job,
                                      submitted.submission->demand.need * Yield{pick(300'000, 600'000)},
                                      {},
                                      60,
                                      "its tasks use less than they declare"});
    if (const Memory memory = submitted.submission->demand.memory; random_() % 2 == 0)
      found_.emplace_back(next_ + seconds(60), MemoryLearned{submitted.job,
                                                             {memory.raw / 100 * pick(75, 80, 90)},
                                                             {memory.raw / 2},
                                                             "its tasks use less than they declare"});
    const auto shift = static_cast<std::int64_t>(to_seconds(next_)) % 2400;
    next_ = next_ + seconds(shift < 1200 ? pick(5, 8, 12, 17) : pick(14, 22, 34, 50));
    return submitted;
  }

 private:
  std::mt19937_64 random_;
  std::uint64_t last_ = 0;
  std::deque<std::pair<Instant, Event>> found_;
  Instant next_ = Instant{} + seconds(1);
};

}  // namespace aliquot::test
