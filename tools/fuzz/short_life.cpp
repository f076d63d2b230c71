#include "tools/fuzz/short_life.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "manager/core/scheduler.hpp"
#include "manager/store/sqlite_store.hpp"

namespace aliquot::fuzz {
namespace {

constexpr std::uint64_t kRounds = 60;

std::vector<Node> two_nodes() {
  std::vector<Node> nodes;
  for (std::uint32_t n = 0; n < 2; ++n) {
    Node node;
    node.id = {n};
    node.name = "n" + std::to_string(n);
    node.cores = 4;
    node.capacity = cores(4);
    node.memory = mebibytes(1000);
    nodes.push_back(node);
  }
  nodes[1].devices = {Device{{0}, 1000}, Device{{0}, 1000}};
  return nodes;
}

Submission job(std::uint32_t tasks, std::int64_t mib, std::int64_t need, bool device) {
  Submission submission;
  submission.name = "job of " + std::to_string(tasks);
  submission.account = tasks % 2 == 0 ? "ada" : "";
  submission.demand.tasks = tasks;
  submission.demand.memory = mebibytes(mib);
  submission.demand.need = cores(need);
  submission.demand.estimate = seconds(100);
  submission.guest_memory = mebibytes(mib);
  submission.program = LinuxCommand{{"/bin/sh", "-c", "echo hello"}, ""};
  if (tasks == 3) submission.time_limit = seconds(30);
  if (device) {
    submission.demand.movable = false;
    submission.demand.devices = {.per_node = 1, .parts = 1000};
  }
  return submission;
}

// What the nodes answer to the actions of a step: mostly success, now and then a failure or a doubt.
std::vector<Event> answers(const Step& step) {
  std::vector<Event> events;
  for (const Action& action : step.actions) {
    const ActionHead& what = head(action);
    Outcome outcome{what.op, what.job, what.tasks, {}, seconds(1), {}};
    if (what.op.raw % 7 == 0) outcome.error = Error{ErrorKind::refused, "the node is full"};
    if (what.op.raw % 11 == 0) outcome.error = Error{ErrorKind::timeout, "no answer"};
    events.emplace_back(std::move(outcome));
  }
  return events;
}

}  // namespace

Life short_life() {
  CoreState begin;
  begin.view.nodes = two_nodes();
  begin.view.device_models = {"V100"};
  begin.policy = "GREEDY-PMTN-MIGR";
  Life life{begin, {}, {}};
  Scheduler scheduler(Cluster(std::move(begin)), std::move(*make_policy("GREEDY-PMTN-MIGR")));
  life.begin = scheduler.cluster().state();
  std::vector<Event> events;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    const Instant now{static_cast<std::int64_t>(round) * 5 * kMillion};
    if (round % 6 == 0)
      events.emplace_back(Submitted{
          {1 + round / 6}, job(static_cast<std::uint32_t>(1 + round / 6 % 3), 300, 1, round == 12)});
    if (round == 20) events.emplace_back(HoldChanged{{2}, true});
    if (round == 26) events.emplace_back(HoldChanged{{2}, false});
    if (round == 30) events.emplace_back(NodeChanged{{0}, NodeState::suspect, "it does not answer"});
    if (round == 33) events.emplace_back(NodeChanged{{0}, NodeState::up, "it answers"});
    if (round == 40) events.emplace_back(Cancelled{{4}, JobResult::cancelled, "by its user"});
    if (round == 45) events.emplace_back(Restarted{2});
    if (round == 50) events.emplace_back(PolicyChanged{"DYNMCB8-PER-60"});
    if (round % 9 == 8) events.emplace_back(TaskEnded{{1 + round / 9}, {0, 1}, 1, 0, {}});
    for (const VmQuery& query : scheduler.cluster().unclear())
      events.emplace_back(
          Inspected{query.job, query.task, query.incarnation, VmFact::running, query.nodes[0], {}});
    life.steps.push_back(scheduler.round(now, std::exchange(events, {})));
    events = answers(life.steps.back());
  }
  life.end = scheduler.cluster().state();
  return life;
}

std::string store_bytes(const Life& life, const std::string& path) {
  {
    SqliteStore store(path);
    if (!store.recover()) return {};
    store.start([](std::uint64_t) {}, [](const Error&) {});
    Scheduler scheduler(Cluster(life.begin), std::move(*make_policy(life.begin.policy)));
    for (const Step& step : life.steps) {
      if (!scheduler.replay(step)) return {};
      store.append(step);
      if (step.number == life.steps.size() / 2) store.snapshot(scheduler.cluster().state());
    }
    store.flush();
  }
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace aliquot::fuzz
