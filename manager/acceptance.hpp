// Makes jobs of submissions: tells whether they may become some, and gives those that are accepted their
// numbers. Belongs to the loop.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "manager/api/answers/answer_values.hpp"
#include "manager/api/answers/sight.hpp"
#include "manager/api/wire/auth.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/learning.hpp"
#include "manager/store/store.hpp"
#include "policies/fairness/account_tree.hpp"

namespace aliquot {

class Acceptance {
 public:
  // All outlive it.
  struct Parts {
    const Scheduler& scheduler;
    const Store& store;
    const Settings& settings;
    Learning& learning;
    std::function<AnswerClock()> clock;
    // Of a job that is submitted now (policies/fairness).
    std::function<Weight(const fairness::AccountUser&)> weight = [](const auto&) { return Weight{}; };
  };
  explicit Acceptance(Parts parts) : parts_(std::move(parts)) {}

  // The client, and what it may see.
  struct Asker {
    const Peer& peer;
    const Roles& roles;
    const Sight& sight;
  };
  // As it becomes a job, without the contents of its files: admitted, and with the time at which it may
  // begin. `before`: so many others are accepted with it. Takes it from the request.
  [[nodiscard]] Result<Submission> admitted(Submit& request, const Asker& asker,
                                            std::size_t before = 0) const;
  // The same of all, in their order; an error names the first that is refused.
  [[nodiscard]] Result<std::vector<Submission>> all_admitted(SubmitMany& request, const Asker& asker) const;

  struct Accepted {
    std::vector<Event> events;
    std::string body;  // of the answer
  };
  // They become jobs in this order. Error: while their files were copied, what one of them depends on has
  // ended, so that it could never start; none becomes a job, and they stay as they are.
  [[nodiscard]] Result<Accepted> accept(std::vector<Submission>& submissions, bool are_many);

 private:
  // Jobs that have not ended, with those that have been promised to clients and come with the next step.
  [[nodiscard]] std::size_t jobs_accepted() const;

  Parts parts_;
  JobId last_given_;  // the newest number that was promised to a client
};

}  // namespace aliquot
