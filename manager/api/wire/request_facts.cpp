#include "manager/api/wire/request_facts.hpp"

#include <type_traits>

namespace aliquot {

RequestFacts facts_of(const Credentials& who, const Request& request) {
  return {who.uid, who.pid, who.key, who.address, object_of(request), changes_something(request)};
}

bool changes_something(const Request& request) {
  return std::visit(
      [](const auto& r) {
        using R = std::decay_t<decltype(r)>;
        constexpr bool only_asks =
            std::is_same_v<R, Hello> || std::is_same_v<R, List> || std::is_same_v<R, Show> ||
            std::is_same_v<R, Why> || std::is_same_v<R, Events> || std::is_same_v<R, Logs> ||
            std::is_same_v<R, TerminalRead> || std::is_same_v<R, TerminalWrite> ||
            std::is_same_v<R, Accounts> || std::is_same_v<R, AccountShow> ||
            std::is_same_v<R, AccountUsage> || std::is_same_v<R, KnowledgeList> ||
            std::is_same_v<R, KnowledgeExport> || std::is_same_v<R, RunTimesList> ||
            std::is_same_v<R, RunTimesExport> || std::is_same_v<R, ImageList> ||
            std::is_same_v<R, ImageShow> || std::is_same_v<R, NodeList> || std::is_same_v<R, NodeShow> ||
            std::is_same_v<R, NodeProbe> || std::is_same_v<R, NodeOrphans> ||
            std::is_same_v<R, PolicyShow> || std::is_same_v<R, ModeShow> || std::is_same_v<R, PlanShow> ||
            std::is_same_v<R, MaintenanceList> || std::is_same_v<R, MotdShow> ||
            std::is_same_v<R, HaStatus> || std::is_same_v<R, Status> || std::is_same_v<R, KeyList>;
        if constexpr (requires { r.dry_run; })
          return !r.dry_run;
        else
          return !only_asks;
      },
      request);
}

std::string object_of(const Request& request) {
  return std::visit(
      [](const auto& r) -> std::string {
        using R = std::decay_t<decltype(r)>;
        if constexpr (requires { r.job; } && !std::is_same_v<R, Events>)
          return "job " + std::to_string(r.job.raw);
        else if constexpr (std::is_same_v<R, NodeAdd>)
          return "node " + r.node.name;
        else if constexpr (requires { r.node; })
          return "node " + r.node;
        else if constexpr (requires { r.image.text; })
          return "image " + r.image.text;
        else if constexpr (requires { r.terminal; })
          return "terminal " + std::to_string(r.terminal);
        else if constexpr (std::is_same_v<R, KeyAdd> || std::is_same_v<R, KeyRevoke>)
          return "key " + r.name;
        else if constexpr (std::is_same_v<R, MaintenanceAdd> || std::is_same_v<R, MaintenanceRemove>)
          return "maintenance window " + r.name;
        else if constexpr (std::is_same_v<R, PlanApply>)
          return "plan of " + r.plan.made_at;
        else if constexpr (std::is_same_v<R, PolicySet>)
          return "policy " + r.spec;
        else
          return {};
      },
      request);
}

}  // namespace aliquot
