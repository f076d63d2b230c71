// What nodes draw, as the site's command reads it (power.meter_command): asks for each node every
// power.meter_interval, and tells the energy meter. A node whose meter says nothing of use draws what the
// settings say until it does again. Belongs to the loop; commands run on other threads.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "config/settings.hpp"
#include "manager/power_levers.hpp"
#include "policies/model/view.hpp"
#include "policies/power/energy_meter.hpp"
#include "policies/power/meter_reading.hpp"

namespace aliquot {

class NodeMeters {
 public:
  // All outlive this. `settings` may be replaced by a reload between two calls.
  struct Parts {
    PowerLevers& levers;
    const NodePowerSettings& settings;
    power::EnergyMeter& meter;
    std::function<void(const std::string&)> warn;
  };
  explicit NodeMeters(Parts parts) : parts_(std::move(parts)) {}

  // Asks the meters that are due.
  void every_second(const ClusterView& view, Instant now);

 private:
  struct Meter {
    Instant due{};
    bool is_asked = false;
    bool has_failed = false;            // and has been warned of
    std::optional<MeterLine> before{};  // the last one with counters
  };
  void take(NodeId node, const std::string& name, const Result<MeterLine>& said);
  // An error says what is wrong with it; none: it is the first reading of counters, or after a boot.
  [[nodiscard]] Result<std::optional<power::Watts>> draw_of(Meter& meter, const MeterLine& said) const;

  Parts parts_;
  std::map<NodeId, Meter> meters_;
  Instant now_;
};

}  // namespace aliquot
