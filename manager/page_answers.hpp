// What the status page shows, made of the answers that the command line gets too. Called by the loop.
#pragma once

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/answers/cluster_answers.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/page/status_page.hpp"
#include "manager/refused_plan.hpp"
#include "manager/store/store.hpp"

namespace aliquot {

struct PageParts {
  const Scheduler& scheduler;
  const Store& store;
  const RefusedPlan& refused;
  DaemonFacts facts;
  AnswerClock clock;
  Sight sight;  // of a client that nothing is known of
};

[[nodiscard]] std::string page_picture(const PageParts& parts);
[[nodiscard]] Result<std::string> page_why(const PageParts& parts, JobId job);

}  // namespace aliquot
