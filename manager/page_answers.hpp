// What the console shows, made of the answers that the command line gets too. Called by the loop.
#pragma once

#include <functional>
#include <string>

#include "manager/api/answers/account_answers.hpp"
#include "manager/api/answers/answer_values.hpp"
#include "manager/api/answers/cluster_answers.hpp"
#include "manager/api/wire/job_server.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/page/console.hpp"
#include "manager/refused_plan.hpp"
#include "manager/store/store.hpp"

namespace aliquot {

struct PageParts {
  const Scheduler& scheduler;
  const Store& store;
  const RefusedPlan& refused;
  DaemonFacts facts;
  AnswerClock clock;
  Sight sight;
  std::function<AccountRows()> accounts;  // that such a client may see
  std::function<std::optional<JobUse>(JobId)> cpu;
};

// What the console's questions and actions are handed to, by the loop.
struct ConsoleParts {
  std::function<PageParts(const Peer&)> parts;  // as this client may see them
  std::function<JobServer&()> server;
  const std::function<void(Incoming)>& take;  // a request
};
[[nodiscard]] Console::Sources console_sources(const ConsoleParts& parts);
// What the client of a token may see: `method` is status, why, node, plan or accounts, `body` the job or
// the node.
[[nodiscard]] Result<std::string> page_read(const ConsoleParts& console, const WebRequest& request);

[[nodiscard]] std::string page_picture(const PageParts& parts);
[[nodiscard]] Result<std::string> page_why(const PageParts& parts, JobId job);
// The answer to `node.show` with the VMs that stand on the node.
[[nodiscard]] Result<std::string> page_node(const PageParts& parts, const std::string& name);
[[nodiscard]] std::string page_plan(const PageParts& parts);
[[nodiscard]] std::string page_accounts(const PageParts& parts);

}  // namespace aliquot
