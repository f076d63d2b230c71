#include "tools/sim/workload/placement_columns.hpp"

#include <algorithm>
#include <charconv>

#include "policies/feasibility.hpp"
#include "policies/model/device_models.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

constexpr std::int64_t kMostPriority = 1'000'000'000'000;

// Takes the texts one by one; the first that is wrong is kept.
class Texts {
 public:
  explicit Texts(const PlacementColumns::TextOf& text) : text_(text) {}

  std::int64_t number(std::string_view column, std::int64_t least, std::int64_t most,
                      std::int64_t otherwise = 0) {
    const std::string& text = text_(column);
    if (text.empty()) return otherwise;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
      reject(column, "'" + text.substr(0, 40) + "' is not a whole number");
      return otherwise;
    }
    if (value < least || value > most) {
      reject(column, "'" + text + "' is not from " + std::to_string(least) + " to " + std::to_string(most));
      return otherwise;
    }
    return value;
  }
  bool truth(std::string_view column) {
    const std::string& text = text_(column);
    if (text == "1" || text == "true" || text == "yes") return true;
    if (!text.empty() && text != "0" && text != "false" && text != "no")
      reject(column, "'" + text.substr(0, 40) + "' is neither 1 nor 0");
    return false;
  }
  DeviceModels models(std::string_view column, const std::vector<std::string>& known) {
    const auto read = read_models(text_(column), known);
    if (!read) {
      reject(column, read.error().message);
      return {};
    }
    if (read->unknown.empty()) return read->models;
    std::string names;
    for (const std::string& model : known) names += (names.empty() ? "" : ", ") + model;
    reject(column, "the cluster has no '" + read->unknown.substr(0, 60) + "'" +
                       (names.empty() ? " and no other device; name it in the file of --cluster"
                                      : "; it has " + names));
    return {};
  }
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

 private:
  void reject(std::string_view column, const std::string& what) {
    if (wrong_.empty()) wrong_.append(column).append(": ").append(what);
  }
  const PlacementColumns::TextOf& text_;
  std::string wrong_;
};

}  // namespace

std::string PlacementColumns::read(const TextOf& text, Demand& demand) const {
  Texts texts(text);
  DeviceDemand& devices = demand.devices;
  devices.per_node = static_cast<std::uint16_t>(texts.number("gpus", 0, kMostDevices));
  const std::int64_t parts = texts.number("gpu_parts", 0, kWholeDevice, kWholeDevice);
  // A trace of all jobs says 0 parts of 0 devices.
  devices.parts = static_cast<std::uint16_t>(parts == 0 && !devices.any() ? kWholeDevice : parts);
  devices.models = texts.models("gpu_model", models_);
  const auto nodes = [&](std::string_view column) {
    return static_cast<std::uint32_t>(texts.number(column, 0, static_cast<std::int64_t>(kMostNodes)));
  };
  demand.spread = {nodes("nodes_min"), nodes("nodes_max"), nodes("per_node"), texts.truth("contiguous")};
  demand.priority = texts.number("priority", -kMostPriority, kMostPriority);
  if (!texts.wrong().empty()) return texts.wrong();
  if (auto why = contradiction(demand)) return *why;
  if (devices.any()) {
    demand.movable = false;
    demand.min_yield = kFullYield;
  }
  if (!is_constrained(demand)) return {};
  return impossible(nodes_, models_, demand).value_or("");
}

std::string placement_text(const Demand& demand, const std::vector<std::string>& models,
                           std::string_view column) {
  const auto number = [](std::int64_t value) { return value == 0 ? "" : std::to_string(value); };
  const DeviceDemand& devices = demand.devices;
  if (column == "gpus") return number(devices.per_node);
  if (column == "gpu_model") return text_of(devices.models, models);
  if (column == "gpu_parts") return devices.parts == kWholeDevice ? "" : std::to_string(devices.parts);
  if (column == "nodes_min") return number(demand.spread.min_nodes);
  if (column == "nodes_max") return number(demand.spread.max_nodes);
  if (column == "per_node") return number(demand.spread.per_node);
  if (column == "contiguous") return demand.spread.contiguous ? "1" : "";
  if (column == "priority") return number(demand.priority);
  return {};
}

}  // namespace aliquot
