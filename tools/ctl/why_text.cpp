#include "tools/ctl/why_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/ctl/amounts.hpp"
#include "tools/ctl/table.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string nodes_word(const json& count) { return count.dump() + (count == 1 ? " node" : " nodes"); }

// By kind of node where there are kinds, as the policy counts them otherwise.
std::string nodes_text(const json& why) {
  std::string out;
  for (const json& kind : why["kinds"]) {
    out += "  " + nodes_word(kind["nodes"]) + " of " + text_of(kind["kind"]) + "\n";
    for (const json& reason : kind["reasons"])
      out += "    " + reason["nodes"].dump() + ": " + text_of(reason["what"]) + "\n";
  }
  if (!out.empty()) return out;
  for (const json& group : why["nodes"])
    out += "  " + nodes_word(group["nodes"]) + ": " + text_of(group["what"]) + "\n";
  return out;
}

std::string holders_text(const json& why) {
  if (why["tightest"].is_null()) return "";
  std::string out = "tightest: " + text_of(why["tightest"]) + "\n";
  for (const json& holder : why["held_by"]) {
    out += "  held by job " + holder["job"].dump() + " " + text_of(holder["name"]) + ": " +
           holder["tasks"].dump() + " x (" + short_cores(holder["cpus"]) + ", " +
           short_bytes(holder["memory_bytes"]) + ")";
    if (!holder["yield"].is_null()) out += " at yield " + short_ratio(holder["yield"]);
    out += "\n";
  }
  return out;
}

std::string expected_text(const json& expected) {
  if (expected.is_null()) return "";
  const std::string event = expected["event"] == "full_yield" ? "full yield" : text_of(expected["event"]);
  return event + " (" + text_of(expected["basis"]) + "): " + text_of(expected["text"]) + "\n";
}

}  // namespace

std::string history_text(const json& history) {
  std::vector<std::string> ago;
  std::size_t wide = 0;
  for (const json& row : history) {
    ago.push_back(short_seconds(row["ago_s"]) + " ago");
    wide = std::max(wide, width(ago.back()));
  }
  std::string out;
  for (std::size_t i = 0; i < ago.size(); ++i)
    out +=
        "  " + std::string(wide - width(ago[i]), ' ') + ago[i] + "  " + text_of(history[i]["words"]) + "\n";
  return out;
}

std::string why_text(const json& why) {
  std::string out = "job " + why["job"].dump() + " is " + text_of(why["state"]) + " (" +
                    text_of(why["reason"]) + ") for " + short_seconds(why["for_s"]) + "\n" +
                    text_of(why["text"]) + "\n" + nodes_text(why) + holders_text(why);
  if (!why["remedies"].empty()) {
    out += "what would change it:\n";
    for (const json& remedy : why["remedies"]) out += "  - " + text_of(remedy) + "\n";
  }
  out += expected_text(why["expected"]);
  if (!why["checkpoint"].is_null()) out += "checkpoints: " + text_of(why["checkpoint"]["text"]) + "\n";
  if (const json& memory = why.value("memory", json()); memory.is_string() && memory != "")
    out += "memory: " + text_of(memory) + "\n";
  if (!why["history"].empty()) out += "history:\n" + history_text(why["history"]);
  return out;
}

std::string event_words(const json& event) {
  if (!event.is_object()) return text_of(event);
  if (event.contains("words")) return text_of(event["words"]);
  std::string out;
  std::string said;
  for (const char* key : {"event", "action", "decision", "result"})
    if (said.empty() && event.contains(key)) {
      said = key;
      out = (said == "event" ? "" : said + " ") + text_of(event[key]);
    }
  for (const auto& field : event.items()) {
    const std::string& key = field.key();
    if (key == said || key == "job") continue;
    const bool long_one = field.value().is_structured() && field.value().dump().size() > 60;
    out += " " + key + "=" + (long_one ? "..." : text_of(field.value()));
  }
  return out;
}

}  // namespace aliquot::ctl
