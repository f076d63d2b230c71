// What a reload (SIGHUP) would change: the keys, their values before and after, and which need a restart.
#pragma once

#include <string>
#include <vector>

#include "config/field.hpp"
#include "config/settings.hpp"

namespace aliquot {

struct SettingChange {
  std::string key;     // "http.port", "nodes[n1].speed", "nodes[n3]" (came or went), "nodes" (their order)
  std::string before;  // empty: it was not set, or not there
  std::string after;
  Reload reload = Reload::restart;
  friend bool operator==(const SettingChange&, const SettingChange&) = default;
};

// In the order of the table; empty: the same settings. Nodes are told apart by name. Pure.
[[nodiscard]] std::vector<SettingChange> diff_settings(const Settings& before, const Settings& after);

}  // namespace aliquot
