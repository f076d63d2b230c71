// Checkpoints of jobs whose VMs stand on nodes with agents. No agent knows of another, so the manager's
// side leads: all VMs are suspended; when the last one stands still, each node writes its part; then all
// are released, and the parts are sealed (checkpoint_files.hpp). If one part fails, the checkpoint does,
// and the VMs run on. A VM of which an agent has not said in time what came of a call is left alone: its
// outcome is unclear, and the manager inspects it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "manager/hypervisor/hypervisor.hpp"

namespace aliquot::agent {

class AgentCheckpoints {
 public:
  using Clock = std::chrono::steady_clock;
  using Key = std::pair<OpId, std::uint32_t>;  // of the action and a task of it
  struct Effects {
    // An action on one task, answered by done(); perhaps at once.
    std::function<void(NodeId, Action, std::shared_ptr<const JobSpec>)> perform;
    // Whether the task, whose VM is gone, has ended by itself.
    std::function<bool(const JobSpec&, std::uint32_t task)> has_ended;
    // The parts of these tasks are written; with none, the checkpoint has failed. Answered by sealed().
    std::function<void(const Checkpoint&, const JobSpec&, std::vector<std::uint32_t> tasks)> seal;
    std::function<void(const Outcome&)> finished;
    std::function<Clock::time_point()> now;
  };
  explicit AgentCheckpoints(Effects effects) : effects_(std::move(effects)) {}

  // Of all tasks of the job that have not ended.
  void begin(const Checkpoint& checkpoint, const std::shared_ptr<const JobSpec>& spec);
  [[nodiscard]] bool has(Key key) const;
  // The outcome of the present step of one task.
  void done(Key key, const std::optional<Error>& error);
  void sealed(OpId op, const Result<void>& result);
  // No part is written any more.
  void give_up(OpId op);

 private:
  enum class Step : std::uint8_t { suspending, writing, releasing, sealing };
  struct Part {
    std::uint32_t task = 0;
    bool is_asked = false;       // the node, and has not answered
    bool is_gone = false;        // its task has ended, or another has destroyed the VM
    std::optional<Error> doubt;  // whether the VM runs
  };
  struct Run {
    Checkpoint action;
    std::shared_ptr<const JobSpec> spec;
    Step step = Step::suspending;
    std::vector<Part> parts;
    std::optional<Error> fault;  // the first
    Clock::time_point begun;
    Duration stall;  // known when the VMs have been released
  };
  void ask_all(Run& run, Step step);
  void go_on(Run& run);
  void take_error(Run& run, Part& part, const Error& error);
  void seal(Run& run);
  void finish(OpId op);
  [[nodiscard]] Duration since(Clock::time_point then) const;

  const Effects effects_;
  std::map<OpId, Run> runs_;
};

}  // namespace aliquot::agent
