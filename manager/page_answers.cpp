#include "manager/page_answers.hpp"

#include <nlohmann/json.hpp>

#include "manager/api/answers/job_answers.hpp"
#include "manager/api/explain/plan_answers.hpp"
#include "manager/api/explain/why_answer.hpp"
#include "manager/api/wire/strict_json.hpp"
#include "manager/job_owner.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot {

using nlohmann::json;

namespace {

constexpr std::size_t kMostJobs = 1000;
constexpr std::size_t kMostAccounts = 1000;
constexpr std::uint64_t kLookBack = 400;  // lines of the log, for the last decisions among them

bool stands_on(const CoreState& state, const Vm& vm, const std::string& node) {
  const bool stands = vm.state == VmState::ready || vm.state == VmState::running;
  return stands && vm.node.raw < state.view.nodes.size() && state.view.nodes[vm.node.raw].name == node;
}

// What its counters said last: a page that reads twice knows what it used in between. Null: nothing yet.
json cpu_part(const RunUse* run) {
  if (!run) return nullptr;
  return {{"used_s", to_seconds(run->used.cpu)},
          {"granted_s", to_seconds(run->granted)},
          {"read_s", to_seconds(run->read)}};
}

json vm_row(const PageParts& parts, JobId id, const JobRecord& record, std::uint32_t task) {
  const Vm& vm = record.vms[task];
  const Demand& demand = record.submission->demand;
  const auto use = parts.cpu(id);
  const RunUse* run = nullptr;
  for (const RunUse& each : use ? use->runs : std::vector<RunUse>{})
    if (each.task == task && each.incarnation == vm.incarnation) run = &each;
  return {{"job", id.raw},
          {"name", record.submission->name},
          {"task", task},
          {"state", std::string(word(vm.state))},
          {"doing", vm.flight ? json(std::string(word(vm.flight->kind))) : json()},
          {"cap_cpus", wire::in_cores(demand.need * vm.cap * vm.units)},
          {"memory_bytes", demand.memory.raw * vm.units},
          {"memory", run && run->memory ? json{{"used_bytes", run->memory->used().raw}} : json()},
          {"cpu", cpu_part(run)}};
}

}  // namespace

Console::Sources console_sources(const ConsoleParts& console) {
  const auto parts = [of = console.parts] { return of(Peer{}); };
  return {[parts] { return page_picture(parts()); },
          [parts] { return parts().store.newest_event(); },
          [parts](JobId job) { return page_why(parts(), job); },
          [parts](const std::string& node) { return page_node(parts(), node); },
          [parts] { return page_plan(parts()); },
          [parts] { return page_accounts(parts()); },
          [console](const WebRequest& request) { return page_read(console, request); },
          [console](const WebRequest& request, WebClients::Answered answered) {
            console.server().take_web(request, console.take, std::move(answered));
          }};
}

Result<std::string> page_read(const ConsoleParts& console, const WebRequest& request) {
  const auto peer = console.server().web_peer(request.token, request.address);
  if (!peer) return tl::unexpected<Error>(peer.error());
  const PageParts parts = console.parts(*peer);
  if (request.method == "status") return page_picture(parts);
  if (request.method == "plan") return page_plan(parts);
  if (request.method == "accounts") return page_accounts(parts);
  if (request.method == "node") return page_node(parts, request.body);
  const auto job = console_job(request.body);
  if (request.method == "why" && job) return page_why(parts, *job);
  return fail(ErrorKind::invalid_argument, "what is read? status, plan, accounts, node or why");
}

std::string page_picture(const PageParts& parts) {
  const CoreState& state = parts.scheduler.cluster().state();
  const std::uint64_t newest = parts.store.newest_event();
  const std::uint64_t from = newest > kLookBack ? newest - kLookBack : 0;
  return page_picture(status_answer(state, parts.scheduler.policy(), parts.facts, parts.clock),
                      node_list_answer(state, parts.clock),
                      list_answer(state, {}, kMostJobs, parts.clock, parts.sight),
                      events_answer(state.view, parts.store.events(std::nullopt, from, kLookBack), from,
                                    kLookBack, parts.clock, parts.sight));
}

Result<std::string> page_why(const PageParts& parts, JobId job) {
  const CoreState& state = parts.scheduler.cluster().state();
  if (parts.sight.of(owner_of(job, parts.scheduler.cluster(), parts.store)) == Sight::Part::nothing)
    return tl::unexpected<Error>(no_such_job(job));
  const auto story = parts.store.story(job, kHistoryShown);
  if (const auto ended = parts.store.ended(job))
    return why_answer(*ended, parts.clock, state.view, story, parts.sight);
  return why_answer(state, parts.scheduler.policy(), job, parts.clock, parts.refused.last(), story,
                    parts.sight);
}

Result<std::string> page_node(const PageParts& parts, const std::string& name) {
  const CoreState& state = parts.scheduler.cluster().state();
  return node_show_answer(state, name, parts.sight, parts.clock).map([&](const std::string& shown) {
    json answer = json::parse(shown);
    answer["vms"] = json::array();
    for (const auto& [id, record] : state.records)
      for (std::size_t task = 0; task < record.vms.size(); ++task)
        if (const Vm& vm = record.vms[task]; stands_on(state, vm, name))
          answer["vms"].push_back(vm_row(parts, id, record, static_cast<std::uint32_t>(task)));
    parts.sight.limit(answer);
    return wire::to_line(answer);
  });
}

std::string page_plan(const PageParts& parts) {
  const CoreState& state = parts.scheduler.cluster().state();
  const Plan plan = parts.scheduler.preview();
  return plan_answer(state, parts.scheduler.policy(), plan, check_plan(state.view, plan), parts.clock,
                     parts.sight);
}

std::string page_accounts(const PageParts& parts) {
  Accounts request;
  request.limit = kMostAccounts;
  return accounts_answer(parts.accounts(), request, parts.clock).value_or("{}");
}

}  // namespace aliquot
