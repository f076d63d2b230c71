#include "tools/ctl/memory_text.hpp"

#include <nlohmann/json.hpp>

#include "policies/needs/memory_advice.hpp"
#include "tools/ctl/amounts.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

// A guest tells every five seconds. One that is held back tells later.
constexpr double kLongAgo = 20;  // seconds

std::string of_task(const json& memory, const char* bytes, const char* task) {
  return short_bytes(memory[bytes]) + " (task " + memory[task].dump() + ")";
}

}  // namespace

std::string memory_text(const json& memory) {
  std::string out = short_bytes(memory["declared_bytes"]) + " a task";
  if (const json& counted = memory.value("counted_bytes", json());
      counted.is_number_integer() && counted < memory["declared_bytes"])
    out += "; counted with " + short_bytes(counted) + ", the rest is lent to others";
  if (!memory["used_bytes"].is_null()) {
    out += "; used now: " + of_task(memory, "used_bytes", "used_by_task");
    if (memory["used_s_ago"].is_number() && memory["used_s_ago"].get<double>() > kLongAgo)
      out += ", as told " + short_seconds(memory["used_s_ago"]) + " ago";
  }
  if (!memory["largest_bytes"].is_null())
    out += "; largest use: " + of_task(memory, "largest_bytes", "largest_of_task");
  if (!memory["unknown"].is_null())
    out += "; what it uses is not known: " + memory["unknown"].get<std::string>();
  if (!memory["to_declare_bytes"].is_number_integer()) return out;
  const json& better = memory["to_declare_bytes"];
  const bool is_less = better < memory["declared_bytes"];
  return out + "; " + needs::mem_option({better.get<std::int64_t>()}) +
         (is_less ? " is enough" : " is safer");
}

}  // namespace aliquot::ctl
