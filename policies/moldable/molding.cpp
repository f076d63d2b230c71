#include "policies/moldable/molding.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <limits>
#include <vector>

namespace aliquot::moldable {
namespace {

// Up to here every number of tasks is considered; beyond it, each is larger than the last by a sixteenth: a
// few hundred numbers of a range of a million.
constexpr std::uint32_t kAllUpTo = 64;

std::vector<std::uint32_t> numbers_to_consider(TaskRange range) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t n = range.least; n < range.most; n += n < kAllUpTo ? 1 : n / 16) numbers.push_back(n);
  numbers.push_back(range.most);
  return numbers;
}

MoldingChoice choice_of(std::uint32_t tasks, const MoldableOffer& offer, const ClusterLoad& cluster) {
  MoldingChoice choice;
  choice.tasks = tasks;
  choice.slowdown = offer.slowdown(tasks, offer.range().most);
  choice.load = cluster.load_with(offer.on(tasks));
  choice.factors = cluster.place(offer.on(tasks));
  return choice;
}

MoldingChoice choose(const Fixed& rule, const MoldableOffer& offer, const ClusterLoad& cluster) {
  const std::uint32_t asked = rule.tasks.value_or(offer.range().most);
  MoldingChoice choice = choice_of(offer.range().nearest(asked), offer, cluster);
  choice.reason = choice.tasks == asked ? MoldingReason::given : MoldingReason::outside;
  return choice;
}

MoldingChoice choose(const LoadBalance& rule, const MoldableOffer& offer, const ClusterLoad& cluster) {
  const TaskRange range = offer.range();
  const auto numbers = numbers_to_consider({range.least, range.nearest(rule.start.value_or(range.most))});
  for (auto at = numbers.rbegin();; ++at) {
    MoldingChoice choice = choice_of(*at, offer, cluster);
    const bool balanced = choice.factors && choice.factors->most - choice.factors->least < rule.threshold;
    if (balanced)
      choice.reason = MoldingReason::balanced;
    else if (*at == range.least)
      choice.reason = MoldingReason::least_of_range;
    else if (offer.on(*std::next(at)).memory > cluster.largest_memory())
      choice.reason = MoldingReason::memory;
    else
      continue;
    return choice;
  }
}

double stretch_of_others(double load, double acceptable) {
  return load < 1 ? 1 + (acceptable - 1) * load : acceptable * load;
}

// The choice for this number, with its two stretches.
MoldingChoice foresee(std::uint32_t tasks, std::uint32_t best, const MoldableOffer& offer,
                      const ClusterLoad& cluster, double acceptable) {
  MoldingChoice choice = choice_of(tasks, offer, cluster);
  choice.slowdown = offer.slowdown(tasks, best);
  // A job that must wait for memory will share its nodes as all do.
  const double shared = choice.factors ? choice.factors->most : choice.load;
  choice.own = choice.slowdown * std::max(1.0, shared);
  choice.others = stretch_of_others(choice.load, acceptable);
  return choice;
}

MoldingChoice choose(const LeastStretch& rule, const MoldableOffer& offer, const ClusterLoad& cluster) {
  std::vector<std::uint32_t> numbers = numbers_to_consider(offer.range());
  std::erase_if(numbers, [&](std::uint32_t n) { return !cluster.could_hold(offer.on(n)); });
  if (numbers.empty()) {
    MoldingChoice choice = choice_of(offer.range().least, offer, cluster);
    choice.reason = MoldingReason::never_fits;
    return choice;
  }
  const std::uint32_t best = numbers.back();  // no smaller number is faster
  const double acceptable = std::max(1.0, rule.acceptable);
  std::erase_if(numbers, [&](std::uint32_t n) { return offer.slowdown(n, best) > acceptable; });
  MoldingChoice chosen;
  double least = std::numeric_limits<double>::infinity();
  for (const std::uint32_t tasks : numbers) {
    const MoldingChoice choice = foresee(tasks, best, offer, cluster, acceptable);
    const double larger = std::max(choice.own, choice.others);
    if (larger >= least) continue;
    chosen = choice;
    least = larger;
  }
  if (chosen.slowdown <= 1)
    chosen.reason = MoldingReason::best_number;
  else
    chosen.reason =
        chosen.tasks == numbers.front() ? MoldingReason::fewest_acceptable : MoldingReason::least_stretch;
  return chosen;
}

}  // namespace

Result<MoldableOffer> MoldableOffer::of(TaskRange range, SpeedupModel model, Cpu need, Memory of_task,
                                        Memory divided) {
  if (range.least < 1 || range.least > range.most || range.most > kMostTasks)
    return fail(ErrorKind::invalid_argument, "a range of " + std::to_string(range.least) + " to " +
                                                 std::to_string(range.most) +
                                                 " tasks: give 1 to 1000000, the smaller number first");
  if (of_task < Memory{} || divided < Memory{})
    return fail(ErrorKind::invalid_argument, "the memory of a moldable job: give no negative amount");
  return MoldableOffer(range, std::move(model), need, of_task, divided);
}

TaskSet MoldableOffer::on(std::uint32_t tasks) const {
  const auto count = static_cast<std::int64_t>(tasks);
  const Memory part{divided_.raw / count + (divided_.raw % count > 0 ? 1 : 0)};
  return {tasks, need_, of_task_ + part};
}

double MoldableOffer::slowdown(std::uint32_t tasks, std::uint32_t than) const {
  return to_ratio(model_.at(than)) / to_ratio(model_.at(tasks));
}

MoldingChoice mold(const ClusterView& view, const MoldableOffer& offer, const MoldingRule& rule) {
  const ClusterLoad cluster(view);
  return std::visit([&](const auto& chosen) { return choose(chosen, offer, cluster); }, rule);
}

namespace {

std::string two_places(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::string spread(const MoldingChoice& choice) {
  if (!choice.factors) return "there is no memory for them now";
  return "the load factors of their nodes are " + two_places(choice.factors->least) + " to " +
         two_places(choice.factors->most);
}

std::string stretches(const MoldingChoice& choice) {
  return "a stretch of " + two_places(choice.own) + " is foreseen for it, and of " +
         two_places(choice.others) + " for the others, on a cluster with a load of " +
         two_places(choice.load);
}

std::string reason_text(const MoldingChoice& choice) {
  switch (choice.reason) {
    case MoldingReason::given:
      return "this number was asked for";
    case MoldingReason::outside:
      return "the number asked for is outside of the job's range";
    case MoldingReason::balanced:
      return spread(choice) + ", which is less apart than the threshold";
    case MoldingReason::least_of_range:
      return spread(choice) + ", and the range allows no fewer tasks";
    case MoldingReason::memory:
      return spread(choice) + ", and no node has the memory that fewer tasks would need each";
    case MoldingReason::best_number:
      return "no further task would make it faster; " + stretches(choice);
    case MoldingReason::fewest_acceptable:
      return "fewer tasks would make it too slow, or need too much memory each; " + stretches(choice);
    case MoldingReason::least_stretch:
      return stretches(choice) + "; the larger of the two is least with this number";
    case MoldingReason::never_fits:
      return "the nodes that take new tasks could hold no number of the job's range";
  }
  return {};
}

}  // namespace

std::string explain(const MoldingChoice& choice) {
  return std::to_string(choice.tasks) + (choice.tasks == 1 ? " task: " : " tasks: ") + reason_text(choice) +
         ".";
}

}  // namespace aliquot::moldable
