// The changes that a reload (SIGHUP) would make: keys, values before and after, and whether a restart is
// needed.
#pragma once

#include <string>
#include <vector>

#include "config/field.hpp"
#include "config/settings.hpp"

namespace aliquot {

struct SettingChange {
  std::string key;     // "http.port", "nodes[n1].speed", "nodes[n3]" (added or removed)
  std::string before;  // empty: not set, or no such node
  std::string after;
  Reload reload = Reload::restart;
  friend bool operator==(const SettingChange&, const SettingChange&) = default;
};

// The settings in force after a reload: those of `read` that can change while the manager runs, the others
// as they were. The nodes are left as they are: manager/node_roster.hpp takes them.
[[nodiscard]] Settings reloaded(Settings in_force, const Settings& read);

// In the order of the field table; empty: no change. Nodes are matched by name. Pure.
[[nodiscard]] std::vector<SettingChange> diff_settings(const Settings& before, const Settings& after);

}  // namespace aliquot
