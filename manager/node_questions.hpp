// Requests that ask the nodes something, which takes time: a probe, the orphans and their end. Answers come
// later, on the loop's thread. Belongs to the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "manager/api/answers/answer_values.hpp"
#include "manager/background_tasks.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/foreign_vms.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

class NodeQuestions {
 public:
  using Answer = std::function<void(Result<std::string>)>;
  // All outlive this.
  struct Parts {
    const Scheduler& scheduler;
    BackgroundTasks& probes;  // waits for nodes
    std::function<AnswerClock()> clock;
    // A question for the facts of a node, with a JSON body as its answer. The question is asked on another
    // thread, and waits for the node, up to the time that a KVM probe takes.
    std::function<std::function<Result<std::string>()>(NodeId)> facts;
    std::function<std::vector<OrphanVm>()> orphans;
    // Waits for its node. Destroys the VM on behalf of this user.
    std::function<Result<void>(const OrphanVm&, std::uint32_t uid)> destroy;
  };
  explicit NodeQuestions(Parts parts) : parts_(std::move(parts)) {}

  void probe(const std::string& node, Answer answer);
  void list_orphans(const Answer& answer) const;
  // What is an orphan by now; one after another.
  void reclaim(std::uint32_t uid, Answer answer);

 private:
  [[nodiscard]] const CoreState& state() const { return parts_.scheduler.cluster().state(); }

  Parts parts_;
};

}  // namespace aliquot
