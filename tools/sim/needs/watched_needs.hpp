// The needs of the jobs of a simulation, learned while they run as the manager learns them
// (policies/needs), or told by an oracle that sees what their programs really need.
//
// What a job uses is constant between two changes of its share and of its phase. It is observed every
// second for half a minute after such a change, then at intervals that double up to a minute: a decision
// comes as early as it would live, and a long quiet run costs little. Deterministic; no clock.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "manager/core/scheduler.hpp"
#include "manager/hypervisor/model/model_hypervisor.hpp"
#include "policies/needs/need_watch.hpp"

namespace aliquot {

enum class NeedSource : std::uint8_t { declared, learned, learned_up, oracle };
inline constexpr std::array<std::string_view, 4> kNeedSourceNames = {"declared", "learned", "learned-up",
                                                                     "true"};
[[nodiscard]] constexpr std::string_view name(NeedSource source) {
  return kNeedSourceNames[static_cast<std::size_t>(source)];
}

// How often needs were changed, and why.
struct NeedFigures {
  std::array<std::uint64_t, needs::kChangeNames.size()> changes{};  // by ChangeKind
  std::uint64_t observations = 0;
};

class WatchedNeeds {
 public:
  // `capacity`: of the largest node, which no need exceeds.
  WatchedNeeds(NeedSource source, Cpu capacity) : source_(source), capacity_(capacity) {}

  // When a job is to be observed next; kNever: none runs.
  [[nodiscard]] Instant next_due() const;
  // Observes the jobs that are due, and adds the changes of their needs.
  void observe(Instant now, const Cluster& cluster, std::vector<Event>& events);
  // What the step has changed: jobs that have begun or ended to run, other shares, other phases. Adds what
  // the oracle says.
  void after_step(Instant now, const Step& step, const Cluster& cluster, ModelHypervisor& hypervisor,
                  std::vector<Event>& events);

  [[nodiscard]] NeedSource source() const { return source_; }
  [[nodiscard]] const NeedFigures& figures() const { return figures_; }

 private:
  struct Watched {
    needs::NeedWatch watch;
    std::uint32_t vcpus = 1;
    std::optional<ModelUse> use{};  // since `from`; none: it does not run
    Instant from{};
    Instant changed{};  // the use did, or the need
    Instant due = kNever;
  };

  void add(JobId job, const Cluster& cluster);
  void see(Watched& job, Instant now);
  void follow(JobId id, Watched& job, Instant now, const Cluster& cluster, ModelHypervisor& hypervisor,
              std::vector<Event>& events);
  [[nodiscard]] std::int64_t probes_left() const;
  static void plan_next(Watched& job, Instant now);

  NeedSource source_;
  Cpu capacity_;
  std::map<JobId, Watched> jobs_;
  NeedFigures figures_;
};

}  // namespace aliquot
