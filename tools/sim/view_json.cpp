#include "tools/sim/view_json.hpp"

#include <nlohmann/json.hpp>

#include "manager/api/wire/strict_json.hpp"
#include "monitor/codec.hpp"
#include "tools/sim/view_bounds.hpp"

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

// A whole device of any model; who holds one cannot be moved.
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

}  // namespace aliquot
