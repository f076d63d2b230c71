// One job on two small nodes, told to the model action by action.
#pragma once

#include "manager/hypervisor/model/model_hypervisor.hpp"

namespace aliquot {

inline std::vector<Node> two_nodes() {
  return {{NodeId{0}, "a", cores(4), Memory{1000}, NodeState::up, 4},
          {NodeId{1}, "b", cores(4), Memory{1000}, NodeState::up, 4}};
}

class OneJob {
 public:
  explicit OneJob(ModelOptions options = {}, std::uint32_t tasks = 1, Memory memory = Memory{400})
      : model(two_nodes(), std::move(options)) {
    spec_.job = {7};
    Submission submission;
    submission.demand = {tasks, cores(2), memory, {}, {}, true};
    submission.program = ModelWork{seconds(100), 5};
    spec_.submission = submission;
    spec_.tasks.resize(tasks);
  }

  // Performs an action on all tasks and takes what comes of it at once.
  template <class A>
  std::vector<Event> tell(A action) {
    return tell(action, {0, static_cast<std::uint32_t>(spec_.tasks.size())});
  }
  template <class A>
  std::vector<Event> tell(A action, TaskRun tasks) {
    static_cast<ActionHead&>(action) = {OpId{++op}, spec_.job, tasks};
    for (std::uint32_t t = tasks.first; t < tasks.first + tasks.count && t < spec_.tasks.size(); ++t) {
      if constexpr (std::is_same_v<A, Create>) ++spec_.tasks[t].incarnation;
    }
    model.perform(action, std::make_shared<JobSpec>(spec_));
    return model.take_due(now);
  }
  // Goes on to the next thing that happens.
  std::vector<Event> wait() {
    now = model.next();
    return model.take_due(now);
  }
  void start(NodeId node = {0}, Yield yield = kFullYield) {
    (void)tell(Create{{}, node, yield});
    (void)tell(Release{});
  }
  void go_to(std::int64_t second) {
    now = {seconds(second).raw};
    model.set_now(now);
  }

  ModelHypervisor model;
  Instant now;
  std::uint64_t op = 0;

 private:
  JobSpec spec_;
};

inline const Outcome* outcome(const std::vector<Event>& events) {
  return events.size() == 1 ? std::get_if<Outcome>(&events.front()) : nullptr;
}

}  // namespace aliquot
