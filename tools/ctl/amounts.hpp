// Amounts for eyes: short, rounded, with a unit. Never read back by a program: `-o json` is for that.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace aliquot::ctl {

// "128M", "1.5G"; "-" for null. Powers of 1024.
[[nodiscard]] std::string short_bytes(const nlohmann::json& bytes);
// "0.4s", "59s", "3m05s", "2h10m", "4d03h"; "-" for null.
[[nodiscard]] std::string short_seconds(const nlohmann::json& seconds);
// "250 J", "12.3 kJ", "1.24 kWh"; "-" for null.
[[nodiscard]] std::string short_energy(const nlohmann::json& joules);
// "0.50", "1.00"; "-" for null.
[[nodiscard]] std::string short_ratio(const nlohmann::json& ratio);
// "1", "0.25": without trailing zeros; "-" for null.
[[nodiscard]] std::string short_number(const nlohmann::json& number);
// "1 core", "0.25 cores"; "-" for null.
[[nodiscard]] std::string short_cores(const nlohmann::json& number);
// "n1", "n1:2,n2:1".
[[nodiscard]] std::string short_placement(const nlohmann::json& placement);

}  // namespace aliquot::ctl
