#include "manager/api/wire/saved_plan.hpp"

#include <bit>
#include <nlohmann/json.hpp>

#include "manager/api/wire/fields.hpp"

namespace aliquot::wire {

using nlohmann::json;

namespace {

constexpr std::int64_t kMaxId = std::int64_t{1} << 53;
constexpr std::size_t kMostFacts = 1 << 16;
constexpr std::size_t kMostShares = 4096;

JobId job_of(Fields& f) {
  return {static_cast<std::uint64_t>(f.integer("job", 1, kMaxId, 1, Need::required))};
}

std::string row_of(const std::string& where, const char* list, std::size_t at) {
  return where + list + "[" + std::to_string(at) + "].";
}

SavedShare read_share(Fields& f) {
  SavedShare share;
  share.node = f.text("node", 1, 256, Need::required);
  share.tasks = static_cast<std::uint32_t>(f.integer("tasks", 1, 1'000'000, 1, Need::required));
  for (const std::int64_t slot : f.integers("slots", 0, kMostDevices - 1, kMostDevices))
    share.slots |= DeviceSet{1} << slot;
  return share;
}

SavedChange read_change(Fields& f, const std::string& where) {
  SavedChange change;
  change.job = job_of(f);
  change.yield = {f.integer("yield_ppm", 0, kFullYield.raw, 0, Need::required)};
  for (const json* each : f.objects("to", 0, kMostShares)) {
    Fields share(*each, row_of(where, "to", change.to.size()));
    change.to.push_back(read_share(share));
    f.take_fault(share.finish());
  }
  return change;
}

}  // namespace

json saved_plan_json(const SavedPlan& plan) {
  json changes = json::array();
  for (const SavedChange& change : plan.changes) {
    json to = json::array();
    for (const SavedShare& share : change.to) {
      to.push_back({{"node", share.node}, {"tasks", share.tasks}});
      for (DeviceSet left = share.slots; left != 0; left &= left - 1)
        to.back()["slots"].push_back(std::countr_zero(left));
    }
    changes.push_back({{"job", change.job.raw}, {"yield_ppm", change.yield.raw}, {"to", std::move(to)}});
  }
  json jobs = json::array();
  for (const SavedJobFacts& job : plan.jobs) jobs.push_back({{"job", job.job.raw}, {"facts", job.facts}});
  json nodes = json::array();
  for (const SavedNodeFacts& node : plan.nodes)
    nodes.push_back({{"node", node.node}, {"facts", node.facts}});
  return {{"cluster", plan.cluster},       {"made_at", plan.made_at}, {"policy", plan.policy},
          {"changes", std::move(changes)}, {"jobs", std::move(jobs)}, {"nodes", std::move(nodes)}};
}

SavedPlan read_saved_plan(Fields& fields, const char* key) {
  SavedPlan plan;
  const json* object = fields.object(key, Need::required);
  if (object == nullptr) return plan;
  const std::string where = std::string(key) + ".";
  Fields f(*object, where);
  plan.cluster = f.text("cluster", 1, 256, Need::required);
  plan.made_at = f.text("made_at", 0, 64, Need::required);
  plan.policy = f.text("policy", 0, 512, Need::required);
  for (const json* each : f.objects("changes", 0, kMostSavedRows)) {
    const std::string row = row_of(where, "changes", plan.changes.size());
    Fields change(*each, row);
    plan.changes.push_back(read_change(change, row));
    f.take_fault(change.finish());
  }
  for (const json* each : f.objects("jobs", 0, kMostSavedRows)) {
    Fields row(*each, row_of(where, "jobs", plan.jobs.size()));
    const JobId job = job_of(row);
    plan.jobs.push_back({job, row.text("facts", 0, kMostFacts, Need::required)});
    f.take_fault(row.finish());
  }
  for (const json* each : f.objects("nodes", 0, kMostSavedRows)) {
    Fields row(*each, row_of(where, "nodes", plan.nodes.size()));
    const std::string node = row.text("node", 1, 256, Need::required);
    plan.nodes.push_back({node, row.text("facts", 0, kMostFacts, Need::required)});
    f.take_fault(row.finish());
  }
  fields.take_fault(f.finish());
  return plan;
}

}  // namespace aliquot::wire
