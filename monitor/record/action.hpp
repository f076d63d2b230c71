// Everything we do to virtual machines, as a closed set. An action names a run of tasks of one job; the
// hypervisor reports an Outcome for each of them, one by one or together.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>
#include <variant>
#include <vector>

#include "monitor/record/task_nodes.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

struct ActionHead {
  OpId op;
  JobId job;
  TaskRun tasks;
};

// The VMs exist on `nodes`, paused, capped for `yield`.
struct Create : ActionHead {
  TaskNodes nodes;
  Yield yield;
};
// The VMs exist again on `nodes`, paused, capped for `yield`: as they were saved, or as they were at a
// checkpoint of their job. Saved images and checkpoints are kept until Forget.
struct Restore : ActionHead {
  TaskNodes nodes;
  Yield yield;
  std::uint32_t checkpoint = 0;  // its number; 0: as they were saved
};
// The paused VM runs. A job of several tasks is released at once.
struct Release : ActionHead {};
// The VM may use at most need * yield; tasks of one Cap may stand on different nodes.
struct Cap : ActionHead {
  Yield yield;
};
// The VM stands still but keeps its memory.
struct Suspend : ActionHead {};
// The VMs' memory stands in shared storage; they are gone from `nodes`.
struct Save : ActionHead {
  TaskNodes nodes;
};
// Live: the VM runs on `to` and is gone from `from`; on failure it still runs on `from`.
struct Migrate : ActionHead {
  TaskNodes from;
  TaskNodes to;
};
// The migration or save under way is given up; that action's own outcome then reports a failure.
struct Abort : ActionHead {
  OpId target;
};
// The VM is gone, wherever and however it was, with its saved image.
struct Destroy : ActionHead {
  TaskNodes nodes;
  bool leaves = false;  // its job goes on without it
};

// All VMs of the job that have not ended stand still together for a moment; memory, disks and lengths of
// the outputs of that moment are in shared storage, under this number. On failure, too, the VMs run on.
struct Checkpoint : ActionHead {
  std::uint32_t number = 0;
  std::vector<std::uint32_t> keep{};  // earlier ones; all others are removed
  // Of these tasks alone, whose VMs stand still and go on doing so: all VMs of the job have been suspended
  // and will be released, and the parts are sealed, by another.
  bool is_part = false;
};

// The guest is told that its VM is to go (the power button). What it does then is its own affair.
struct Notify : ActionHead {
  bool warns = false;  // a limit of its job is near; else its task is to leave its job
};

using Action =
    std::variant<Destroy, Abort, Save, Suspend, Cap, Migrate, Create, Restore, Release, Checkpoint, Notify>;

[[nodiscard]] inline const ActionHead& head(const Action& action) {
  return std::visit([](const auto& a) -> const ActionHead& { return a; }, action);
}

// The same for one of its tasks alone.
[[nodiscard]] inline Action for_task(Action action, std::uint32_t task) {
  std::visit(
      [task](auto& a) {
        const std::uint32_t at = task - a.tasks.first;
        if constexpr (requires { a.nodes; }) a.nodes = a.nodes[at];
        if constexpr (requires { a.from; }) a.from = a.from[at], a.to = a.to[at];
        a.tasks = {task, 1};
      },
      action);
  return action;
}

// In the order of the variant: also the order of a plan's carrying out, what frees before what takes.
enum class ActionKind : std::uint8_t {
  destroy,
  abort,
  save,
  suspend,
  cap,
  migrate,
  create,
  restore,
  release,
  checkpoint,
  notify,
};

[[nodiscard]] constexpr ActionKind kind(const Action& action) {
  return static_cast<ActionKind>(action.index());
}

// The action's word in metrics, journal and messages.
[[nodiscard]] constexpr std::string_view word(ActionKind kind) {
  constexpr std::string_view words[] = {"destroy", "abort",   "save",    "suspend",    "cap",   "migrate",
                                        "create",  "restore", "release", "checkpoint", "notify"};
  static_assert(std::size(words) == std::variant_size_v<Action>);
  return words[static_cast<std::size_t>(kind)];
}
[[nodiscard]] constexpr std::string_view word(const Action& action) { return word(kind(action)); }

}  // namespace aliquot
