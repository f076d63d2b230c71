#include "test/faults/deaths.hpp"

#include "manager/core/recorded.hpp"
#include "manager/store/state_codec.hpp"
#include "monitor/codec_step.hpp"

namespace aliquot {
namespace {

constexpr std::uint32_t kSnapshots = 20'000;  // per million steps
// Each death makes more steps, to look at every VM again: without a bound a run could go on for hours.
constexpr std::uint64_t kMostDeaths = 60;

enum Purpose : std::uint64_t { death, moment, snapshot };
enum Moment : std::uint64_t { before_it_is_on_disk, before_it_is_carried_out, after_it, moments };

// A client that was not answered asks again.
std::vector<Event> unanswered(const Step& step) {
  const auto asks = [](const Event& event) {  // not what the core itself knows to be due
    const auto* changed = std::get_if<TasksChanged>(&event);
    const auto* submitted = std::get_if<Submitted>(&event);
    const auto* service = std::get_if<ServiceChanged>(&event);
    const auto* window = std::get_if<WindowChanged>(&event);
    return (changed && changed->step == 0 && !changed->is_due) ||
           (submitted && !submitted->submission->member) || (service && !service->is_due) ||
           (window && !window->is_due);
  };
  std::vector<Event> again;
  for (const Event& event : step.events)
    if (std::holds_alternative<Cancelled>(event) || std::holds_alternative<HoldChanged>(event) ||
        std::holds_alternative<NeedChanged>(event) || std::holds_alternative<NeedLearned>(event) ||
        std::holds_alternative<MemoryLearned>(event) || std::holds_alternative<WeightsChanged>(event) ||
        std::holds_alternative<AccountsChanged>(event) || std::holds_alternative<CoreHoursServed>(event) ||
        std::holds_alternative<DrainAnnounced>(event) || std::holds_alternative<MessageChanged>(event) ||
        std::holds_alternative<MoveTermsChanged>(event) || asks(event))
      again.push_back(event);
  return again;
}

}  // namespace

Deaths::Deaths(std::uint64_t seed, std::uint32_t per_million, std::string policy)
    : chance_(seed), per_million_(per_million), policy_(std::move(policy)) {}

std::optional<Simulation::Death> Deaths::after(const Step& step, const Cluster& cluster) {
  if (per_million_ == 0) return std::nullopt;
  ++seen_;
  // Before the first snapshot there is nothing to start from.
  const bool dies =
      !snapshot_.empty() && count_ < kMostDeaths && chance_.happens(per_million_, seen_, 0, death);
  const std::uint64_t when = dies ? chance_.draw(seen_, 0, moment) % moments : moments;
  if (when != before_it_is_on_disk) keep(step, cluster);
  if (!dies) return std::nullopt;
  ++count_;
  auto recovered = recover();
  if (!recovered) return std::nullopt;
  if (when != before_it_is_on_disk &&
      encode_state(recovered->cluster().state()) != encode_state(cluster.state()))
    broken_.push_back("after step " + std::to_string(step.number) +
                      " the state that is recovered is not the state that was");
  Simulation::Death how{std::move(*recovered), when != before_it_is_on_disk, when == after_it, {}};
  how.first.emplace_back(Restarted{count_ + 1});
  if (when == before_it_is_on_disk)
    for (Event& event : unanswered(step)) how.first.push_back(std::move(event));
  return how;
}

void Deaths::keep(const Step& step, const Cluster& cluster) {
  if (snapshot_.empty() || chance_.happens(kSnapshots, seen_, 0, snapshot)) {
    snapshot_ = encode_state(cluster.state());
    steps_.clear();
  } else {
    steps_.push_back(step);
  }
}

std::optional<Scheduler> Deaths::recover() {
  auto state = decode_state(snapshot_);
  auto policy = make_policy(policy_);
  if (!state || !policy) {
    broken_.push_back("a snapshot cannot be read: " + (state ? policy.error() : state.error()).message);
    return std::nullopt;
  }
  if (const auto sound = check_recorded(*state); !sound) {
    broken_.push_back("a snapshot is refused: " + sound.error().message);
    return std::nullopt;
  }
  Scheduler next(Cluster(std::move(*state)), std::move(*policy));
  for (const Step& step : steps_) {
    const auto read = decode_step(encode_step(step));
    if (!read) {
      broken_.push_back("a step cannot be read: " + read.error().message);
      return std::nullopt;
    }
    if (const auto replayed = next.replay(*read); !replayed) {
      broken_.push_back("a step cannot be replayed: " + replayed.error().message);
      return std::nullopt;
    }
  }
  return next;
}

}  // namespace aliquot
