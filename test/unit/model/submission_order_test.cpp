// The order with its trees against a plain list that is searched from the front.
#include "policies/model/submission_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace aliquot {
namespace {

struct Known {
  Job job;
  bool wants = false;
  Duration span;
};

Job job(std::uint64_t id, std::int64_t submitted, std::uint32_t tasks) {
  Job made;
  made.id = {id};
  made.submitted = seconds(submitted).raw == 0 ? Instant{} : Instant{} + seconds(submitted);
  made.demand.tasks = tasks;
  return made;
}

// Every job that the limits let in, in order.
std::vector<JobId> found(const SubmissionOrder& order, const SubmissionOrder::Limits& limits) {
  std::vector<JobId> ids;
  for (auto at = order.next(0, limits); at != SubmissionOrder::kNone; at = order.next(at + 1, limits))
    ids.push_back(order.at(at));
  return ids;
}
std::vector<JobId> searched(std::vector<Known> all, const SubmissionOrder::Limits& limits) {
  std::sort(all.begin(), all.end(), [](const Known& a, const Known& b) {
    return std::pair(a.job.submitted, a.job.id) < std::pair(b.job.submitted, b.job.id);
  });
  std::vector<JobId> ids;
  for (const Known& each : all) {
    const std::uint32_t width = each.job.demand.tasks;
    const bool in = width <= limits.any || (width <= limits.brief && each.span <= limits.span);
    if (each.wants && in) ids.push_back(each.job.id);
  }
  return ids;
}

void random_edits(std::uint64_t seed, bool in_order) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  SubmissionOrder order;
  std::vector<Known> all;
  for (std::uint64_t step = 1; step <= 1500; ++step) {
    const std::uint64_t what = all.empty() ? 0 : below(4);
    if (what == 0) {
      const auto at = static_cast<std::int64_t>(in_order ? step / 3 : below(500));
      const Known fresh{job(step, at, 1 + static_cast<std::uint32_t>(below(20))), below(2) == 0,
                        seconds(1 + static_cast<std::int64_t>(below(100)))};
      order.add(fresh.job, fresh.wants, fresh.span);
      all.push_back(fresh);
    } else if (what == 1) {
      const auto at = static_cast<std::ptrdiff_t>(below(all.size()));
      order.remove(all[static_cast<std::size_t>(at)].job);
      all.erase(all.begin() + at);
    } else {
      Known& one = all[below(all.size())];
      one.wants = below(2) == 0;
      order.mark(one.job, one.wants, one.span);
    }
    const SubmissionOrder::Limits limits{static_cast<std::uint32_t>(below(15)),
                                         static_cast<std::uint32_t>(below(21)),
                                         seconds(static_cast<std::int64_t>(below(110)))};
    ASSERT_EQ(found(order, limits), searched(all, limits)) << "seed " << seed << " step " << step;
    ASSERT_EQ(order.size(), all.size());
  }
}

TEST(SubmissionOrder, finds_what_a_search_from_the_front_finds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) random_edits(seed, true);
}

TEST(SubmissionOrder, takes_jobs_that_do_not_come_in_order) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) random_edits(seed, false);
}

}  // namespace
}  // namespace aliquot
