#include "monitor/codec_words.hpp"

#include <array>
#include <iterator>

#include "policies/model/hypervisor_kind.hpp"

namespace aliquot {

namespace {

template <std::size_t n>
using Table = std::array<std::string_view, n>;

// The static_assert of a table fails when its enum grows: `last` is the enum's last value.
template <class E, std::size_t n>
constexpr bool complete(const Table<n>&, E last) {
  return n == static_cast<std::size_t>(last) + 1;
}

constexpr Table<12> kErrorKinds{"invalid_argument", "not_found",   "conflict", "refused",
                                "forbidden",        "unavailable", "timeout",  "too_large",
                                "no_space",         "unsupported", "internal", "not_leader"};
static_assert(complete(kErrorKinds, ErrorKind::not_leader));

constexpr Table<10> kForeignActs{"other",   "moved_away", "moved_here", "saved",   "paused",
                                 "resumed", "started",    "destroyed",  "stopped", "cap_changed"};
static_assert(complete(kForeignActs, ForeignAct::cap_changed));

constexpr Table<4> kJobResults{"completed", "failed", "cancelled", "timed_out"};
static_assert(complete(kJobResults, JobResult::timed_out));

constexpr Table<3> kModes{"off", "advise", "auto"};
static_assert(complete(kModes, Mode::automatic));

constexpr Table<4> kDrainModes{"migrate", "save", "requeue", "wait"};
static_assert(complete(kDrainModes, DrainMode::wait));

constexpr Table<3> kAfterDeadlines{"save", "requeue", "stay"};
static_assert(complete(kAfterDeadlines, AfterDeadline::stay));

constexpr Table<3> kDrainProgresses{"under_way", "overdue", "emptied"};
static_assert(complete(kDrainProgresses, DrainProgress::emptied));

constexpr Table<4> kNodePowers{"on", "going_off", "off", "waking"};
static_assert(complete(kNodePowers, NodePower::waking));

constexpr Table<4> kNodeStates{"up", "suspect", "down", "fenced"};
static_assert(complete(kNodeStates, NodeState::fenced));

constexpr Table<3> kNodeServices{"in_service", "draining", "removed"};
static_assert(complete(kNodeServices, NodeService::removed));

static_assert(complete(needs::kModeNames, needs::NeedMode::learned_up));

constexpr Table<4> kAwaited{"start", "any", "ok", "notok"};
static_assert(complete(kAwaited, Awaited::failure));

constexpr Table<2> kOnTaskFailure{"fail", "continue"};
static_assert(complete(kOnTaskFailure, OnTaskFailure::carry_on));

constexpr Table<3> kPhases{"waiting", "running", "paused"};
static_assert(complete(kPhases, Phase::paused));

constexpr Table<25> kReasons{"running_at_full_yield",
                             "sharing_cpu",
                             "in_flight",
                             "held",
                             "waiting_for_tick",
                             "backing_off",
                             "memory",
                             "min_yield",
                             "nodes_busy",
                             "behind_in_queue",
                             "reserved",
                             "lower_priority",
                             "nodes_unavailable",
                             "never_fits",
                             "not_scheduled",
                             "other_policy",
                             "devices",
                             "spread",
                             "save_space",
                             "node_silent",
                             "tied",
                             "deferred",
                             "array_throttle",
                             "account_limit",
                             "maintenance"};
static_assert(complete(kReasons, Reason::maintenance));

constexpr Table<17> kTurns{"wait",     "start",   "resume",  "pause",  "move",  "cap",
                           "lost",     "refused", "advised", "failed", "ended", "checkpoint",
                           "rollback", "rerun",   "foreign", "need",   "tasks"};
static_assert(complete(kTurns, Turn::tasks));

constexpr Table<6> kVmFacts{"running", "paused", "saved", "ended", "absent", "unknown"};
static_assert(complete(kVmFacts, VmFact::unknown));

constexpr Table<3> kWindowStages{"planned", "begun", "over"};
static_assert(complete(kWindowStages, WindowStage::over));

// A table from the function in policies/model that names one value.
template <class E, std::size_t n, class Name>
Table<n> named_by(Name name_of) {
  Table<n> table;
  for (std::size_t i = 0; i < n; ++i) table[i] = name_of(static_cast<E>(i));
  return table;
}

}  // namespace

template <>
std::span<const std::string_view> words<ActionKind>() {
  static const auto table =
      named_by<ActionKind, std::variant_size_v<Action>>([](ActionKind kind) { return word(kind); });
  return table;
}
template <>
std::span<const std::string_view> words<ErrorKind>() {
  return kErrorKinds;
}
template <>
std::span<const std::string_view> words<ForeignAct>() {
  return kForeignActs;
}
template <>
std::span<const std::string_view> words<HypervisorKind>() {
  static const auto table =
      named_by<HypervisorKind, std::size(kHypervisorKinds)>([](HypervisorKind kind) { return name(kind); });
  return table;
}
template <>
std::span<const std::string_view> words<JobResult>() {
  return kJobResults;
}
template <>
std::span<const std::string_view> words<Law>() {
  static const auto table =
      named_by<Law, static_cast<std::size_t>(Law::where_saved) + 1>([](Law law) { return name(law); });
  return table;
}
template <>
std::span<const std::string_view> words<LimitKind>() {
  return kLimitNames;
}
template <>
std::span<const std::string_view> words<Mode>() {
  return kModes;
}
template <>
std::span<const std::string_view> words<DrainMode>() {
  return kDrainModes;
}
template <>
std::span<const std::string_view> words<AfterDeadline>() {
  return kAfterDeadlines;
}
template <>
std::span<const std::string_view> words<DrainProgress>() {
  return kDrainProgresses;
}
template <>
std::span<const std::string_view> words<needs::NeedMode>() {
  return needs::kModeNames;
}
template <>
std::span<const std::string_view> words<NodePower>() {
  return kNodePowers;
}
template <>
std::span<const std::string_view> words<NodeService>() {
  return kNodeServices;
}
template <>
std::span<const std::string_view> words<NodeState>() {
  return kNodeStates;
}
template <>
std::span<const std::string_view> words<Awaited>() {
  return kAwaited;
}
template <>
std::span<const std::string_view> words<OnTaskFailure>() {
  return kOnTaskFailure;
}
template <>
std::span<const std::string_view> words<Phase>() {
  return kPhases;
}
template <>
std::span<const std::string_view> words<Reason>() {
  return kReasons;
}
template <>
std::span<const std::string_view> words<Turn>() {
  return kTurns;
}
template <>
std::span<const std::string_view> words<VmFact>() {
  return kVmFacts;
}
template <>
std::span<const std::string_view> words<WindowStage>() {
  return kWindowStages;
}

}  // namespace aliquot
