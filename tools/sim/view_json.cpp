#include "tools/sim/view_json.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "manager/api/wire/strict_json.hpp"
#include "monitor/codec.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

using nlohmann::json;

constexpr wire::JsonBounds kBounds{std::size_t{1} << 30, 8, 200'000'000};

void fill_in(json& object, const char* key, json value) {
  if (object.is_object() && !object.contains(key)) object[key] = std::move(value);
}

// "id" if it stands there as the codec wants it, else 0: the codec will complain.
json number_of(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() ? *found : json(0);
}

// What goes without saying: a node that is up, a job that waits.
void complete_node(json& node, std::size_t position) {
  fill_in(node, "id", position);
  fill_in(node, "name", "n" + std::to_string(position));
  fill_in(node, "state", "up");
  fill_in(node, "cores", 1);
  if (!node.is_object() || !node.contains("devices") || !node["devices"].is_array()) return;
  for (json& device : node["devices"]) fill_in(device, "parts", kWholeDevice);
}

// The defaults of devices: a whole one, of any model; a job with devices cannot be moved.
void complete_demand(json& demand) {
  const bool holds = demand.is_object() && demand.contains("devices");
  fill_in(demand, "movable", !holds);
  if (!holds) return;
  fill_in(demand["devices"], "parts", kWholeDevice);
  fill_in(demand["devices"], "model", kAnyModel.raw);
}

void complete_job(json& job, const json& now) {
  fill_in(job, "submitted", now);
  fill_in(job, "phase", job.is_object() && job.contains("placement") ? "running" : "waiting");
  fill_in(job, "yield", 0);
  fill_in(job, "phase_since", number_of(job, "submitted"));
  fill_in(job, "progress", json::object());
  if (!job.is_object()) return;
  fill_in(job["progress"], "accrued", "0");
  fill_in(job["progress"], "rate", number_of(job, "yield"));
  fill_in(job["progress"], "since", now);
  fill_in(job["progress"], "stalled_until", 0);
  if (job.contains("demand")) complete_demand(job["demand"]);
}

void complete_view(json& view) {
  for (const char* key : {"cause", "costs", "memory"}) fill_in(view, key, json::object());
  if (view.contains("nodes") && view["nodes"].is_array()) {
    std::size_t position = 0;
    for (json& node : view["nodes"]) complete_node(node, position++);
  }
  fill_in(view, "jobs", json::array());
  const json now = number_of(view, "now");
  if (view["jobs"].is_array()) {
    for (json& job : view["jobs"]) complete_job(job, now);
  }
}

constexpr std::int64_t kMostLater = 1'000;                   // numbers of tasks of one job
constexpr std::int64_t kLatest = 10'000'000'000 * kMillion;  // microseconds: 317 years
constexpr std::int64_t kMostCpu = kMostCores * 1'000 * kMillion;
constexpr std::int64_t kMostBytes = 1'000'000'000'000'000;
constexpr std::int64_t kMostTogether = std::int64_t{1}
                                       << 60;  // of all nodes, of all tasks: sums stay whole

constexpr std::size_t kMostModels = 1'000;
constexpr std::int64_t kMostPriority = std::int64_t{1} << 53;

class Bounds {
 public:
  explicit Bounds(const ClusterView& view) : view_(view) {}

  Result<void> check() {
    amount("now", view_.now.raw, 0, kLatest);
    amount("costs.restart", view_.costs.restart.raw, 0, kLatest);
    amount("costs.least_change", view_.costs.least_change.raw, 0, kMillion);
    if (view_.next_tick) amount("next_tick", view_.next_tick->raw, 0, 2 * kLatest);
    if (view_.nodes.size() > kMostNodes) refuse("nodes", "more than " + std::to_string(kMostNodes));
    const std::set<std::string> models(view_.device_models.begin(), view_.device_models.end());
    if (models.size() != view_.device_models.size() || models.contains("") || models.size() > kMostModels)
      refuse("device_models", "at most " + std::to_string(kMostModels) + " names, each once");
    for (std::size_t n = 0; n < view_.nodes.size() && !fault_; ++n) check_node(n);
    amount("nodes: their capacity together", together_cpu_, 0, kMostTogether);
    amount("nodes: their memory together", together_memory_, 0, kMostTogether);
    together_cpu_ = together_memory_ = 0;
    for (const auto& [id, job] : view_.jobs) {
      if (!fault_) check_job(job);
    }
    amount("jobs: the needs of all tasks together", together_cpu_, 0, kMostTogether);
    amount("jobs: the memory of all tasks together", together_memory_, 0, kMostTogether);
    check_cause();
    check_closings();
    for (const auto& [id, retry] : view_.memory.retries) {
      amount("memory.retries of job " + std::to_string(id.raw), retry.not_before.raw, 0, 2 * kLatest);
    }
    if (fault_) return tl::unexpected(*fault_);
    return {};
  }

 private:
  void check_closings() {
    for (std::size_t k = 0; k < view_.closings.size(); ++k) {
      const NodeClosing& closing = view_.closings[k];
      const std::string where = "closings[" + std::to_string(k) + "].";
      amount(where + "node", closing.node.raw, 0, static_cast<Int128>(view_.nodes.size()) - 1);
      if (k > 0 && closing.node <= view_.closings[k - 1].node)
        refuse(where + "node", "increasing nodes, each once");
      amount(where + "from", closing.from.raw, 0, kLatest);
      if (closing.to) amount(where + "to", closing.to->raw, closing.from.raw, kLatest);
    }
  }

  void check_node(std::size_t n) {
    const Node& node = view_.nodes[n];
    const std::string where = "nodes[" + std::to_string(n) + "].";
    amount(where + "capacity", node.capacity.raw, 1, kMostCpu);
    amount(where + "memory", node.memory.raw, 1, kMostBytes);
    together_cpu_ += node.capacity.raw;
    together_memory_ += node.memory.raw;
    if (node.devices.size() > kMostDevices)
      refuse(where + "devices", "a node has at most " + std::to_string(kMostDevices));
    for (const Device& device : node.devices) {
      if (device.model.raw >= view_.device_models.size())
        refuse(where + "devices", "device_models has no number " + std::to_string(device.model.raw));
      amount(where + "devices: parts", device.parts, 1, kWholeDevice);
    }
  }

  void check_job(const Job& job) {
    const std::string where = "job " + std::to_string(job.id.raw) + ": ";
    const Demand& demand = job.demand;
    amount(where + "demand.tasks", demand.tasks, 1, kMostTasks);
    amount(where + "demand.need", demand.need.raw, 1, kMostCpu);
    amount(where + "demand.memory", demand.memory.raw, 0, kMostBytes);
    amount(where + "demand.min_yield", demand.min_yield.raw, 0, kMillion);
    if (demand.estimate) amount(where + "demand.estimate", demand.estimate->raw, 0, kLatest);
    amount(where + "demand.weight", demand.weight.raw, kLeastWeight.raw, kMostWeight.raw);
    if (demand.predicted) amount(where + "demand.predicted", demand.predicted->raw, 0, kLatest);
    together_cpu_ += static_cast<Int128>(demand.need.raw) * demand.tasks;
    together_memory_ += static_cast<Int128>(demand.memory.raw) * demand.tasks;
    amount(where + "submitted", job.submitted.raw, 0, view_.now.raw);
    amount(where + "phase_since", job.phase_since.raw, 0, view_.now.raw);
    amount(where + "yield", job.yield.raw, 0, kMillion);
    amount(where + "progress.accrued", job.progress.accrued.raw, 0,
           static_cast<Int128>(kLatest) * kMillion);
    amount(where + "progress.rate", job.progress.rate.raw, 0, kMillion);
    amount(where + "progress.since", job.progress.since.raw, 0, view_.now.raw);
    amount(where + "progress.stalled_until", job.progress.stalled_until.raw, 0, 2 * kLatest);
    for (const LaterTasks& next : job.later) {
      amount(where + "later: tasks", next.tasks, 1, kMostTasks);
      amount(where + "later: work", next.work.raw, 0, static_cast<Int128>(kLatest) * kMillion);
      amount(where + "later: at", next.at.raw, 0, kLatest);
    }
    if (job.time_limit) amount(where + "time_limit", job.time_limit->raw, 0, kLatest);
    if (job.wall_limit) amount(where + "wall_limit", job.wall_limit->raw, 0, kLatest);
    amount(where + "later", static_cast<Int128>(job.later.size()), 0, kMostLater);
    check_placement(where, job);
    check_devices(where, job);
  }

  void check_devices(const std::string& where, const Job& job) {
    const DeviceDemand& demand = job.demand.devices;
    amount(where + "demand.priority", job.demand.priority, -kMostPriority, kMostPriority);
    amount(where + "demand.devices.per_node", demand.per_node, 0, kMostDevices);
    amount(where + "demand.devices.parts", demand.parts, 1, kWholeDevice);
    if (demand.parts < kWholeDevice && demand.per_node > 1)
      refuse(where + "demand.devices.parts", "a slice is of one device");
    for (const DeviceModel model : demand.models)
      if (model.raw >= view_.device_models.size())
        refuse(where + "demand.devices.model", "device_models has no such number");
    if (demand.any() && job.demand.movable) refuse(where + "demand.movable", "what holds a device is not");
    if (job.devices.size() != (demand.any() ? job.placement.size() : 0))
      return refuse(where + "devices",
                    "as many sets of slots as the placement has nodes, if it asks for any");
    for (std::size_t k = 0; k < job.devices.size() && !fault_; ++k) {
      const std::size_t slots = view_.nodes[job.placement[k].node.raw].devices.size();
      if (slots < kMostDevices && job.devices[k] >> slots != 0)
        refuse(where + "devices",
               "node " + std::to_string(job.placement[k].node.raw) + " has no such slot");
    }
  }

  void check_placement(const std::string& where, const Job& job) {
    if ((job.phase == Phase::running) == job.placement.empty())
      return refuse(where + "placement", "a running job has one, and no other");
    if (!job.tied_to.empty() && !job.placement.empty())
      return refuse(where + "tied_to", "a job that is placed is not tied");
    check_shares(where + "placement", job.placement, job.demand.tasks);
    check_shares(where + "tied_to", job.tied_to, job.demand.tasks);
  }

  void check_shares(const std::string& where, const Placement& shares, std::uint32_t tasks) {
    std::uint64_t units = 0;
    const Share* previous = nullptr;
    for (const Share& share : shares) {
      if (share.node.raw >= view_.nodes.size())
        return refuse(where, "there is no node " + std::to_string(share.node.raw));
      if (previous && previous->node >= share.node)
        return refuse(where, "nodes must be in increasing order");
      if (share.units == 0) return refuse(where, "a share has at least one unit");
      units += share.units;
      previous = &share;
    }
    if (previous && units != tasks)
      refuse(where, "places " + std::to_string(units) + " tasks of " + std::to_string(tasks));
  }

  void check_cause() {
    const auto& arrived = view_.cause.arrived;
    for (std::size_t k = 0; k < arrived.size(); ++k) {
      const std::string where = "cause.arrived[" + std::to_string(k) + "]";
      if (k > 0 && arrived[k - 1] >= arrived[k]) refuse(where, "ids must be in increasing order");
      if (!view_.jobs.contains(arrived[k]))
        refuse(where, "there is no job " + std::to_string(arrived[k].raw));
    }
  }

  void amount(const std::string& where, Int128 value, Int128 least, Int128 most) {
    if (value < least) refuse(where, "must be at least " + text(least));
    if (value > most) refuse(where, "must be at most " + text(most));
  }
  void refuse(const std::string& where, const std::string& why) {
    if (!fault_) fault_ = Error{ErrorKind::invalid_argument, where + ": " + why};
  }
  // Every bound but that of the virtual time fits 64 bits.
  static std::string text(Int128 bound) {
    constexpr std::int64_t kTrillion = kMillion * kMillion;
    if (bound <= INT64_MAX) return std::to_string(static_cast<std::int64_t>(bound));
    return std::to_string(static_cast<std::int64_t>(bound / kTrillion)) + "000000000000";
  }

  const ClusterView& view_;
  Int128 together_cpu_ = 0;
  Int128 together_memory_ = 0;
  std::optional<Error> fault_;
};

}  // namespace

std::string view_json(const ClusterView& view) { return encode(view); }
std::string plan_json(const Plan& plan) { return encode(plan); }

Result<ClusterView> parse_view(std::string_view text) {
  auto object = wire::parse_object(text, "the view", kBounds);
  if (!object) return tl::unexpected(object.error());
  complete_view(*object);
  auto view = decode_json<ClusterView>(*object);
  if (!view) return view;
  if (auto sound = check_bounds(*view); !sound) return tl::unexpected(sound.error());
  return view;
}

Result<Plan> parse_plan(std::string_view text, const ClusterView& view) {
  auto object = wire::parse_object(text, "the plan", kBounds);
  if (!object) return tl::unexpected(object.error());
  const bool keeps_memory = !object->contains("memory");
  fill_in(*object, "memory", json::object());
  fill_in(*object, "changes", json::array());
  if ((*object)["changes"].is_array()) {
    for (json& change : (*object)["changes"]) fill_in(change, "yield", 0);
  }
  auto plan = decode_json<Plan>(*object);
  if (plan && keeps_memory) plan->memory = view.memory;
  return plan;
}

Result<void> check_bounds(const ClusterView& view) { return Bounds(view).check(); }

}  // namespace aliquot
