#include "manager/api/wire/maintenance_codec.hpp"

#include <nlohmann/json.hpp>

#include "manager/api/wire/fields.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot::wire {

using nlohmann::json;

namespace {

constexpr std::int64_t kLatestBegin = 4'102'444'800 * kMillion;  // the year 2100

DrainMode drain_mode_of(Fields& f) {
  const auto known = words<DrainMode>();
  const std::string mode = f.one_of("mode", {known.begin(), known.end()}, Need::optional);
  return from_word<DrainMode>(mode).value_or(DrainMode::migrate);
}

std::string window_name(Fields& f) {
  const std::string name = f.text("name", 1, 63, Need::required);
  if (!name.empty() && !is_image_name(name))
    f.fault("name", "is no name of a window; it has 1 to 63 of a-z 0-9 . _ -");
  return name;
}

// Beside line breaks: the text is shown on terminals. Those above ASCII are two bytes in UTF-8.
bool has_control_characters(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0;
    if ((byte < 0x20 && byte != '\n') || byte == 0x7f || (byte == 0xc2 && next < 0xa0)) return true;
  }
  return false;
}

}  // namespace

Request read_drain(Fields& f) {
  NodeDrain drain;
  drain.node = f.text("node", 1, 256, Need::required);
  drain.mode = drain_mode_of(f);
  drain.at_unix_us = f.optional_integer("at_unix_us", 0, kLatestBegin);
  if (const auto us = f.optional_integer("within_us", 0, 366 * 86'400 * kMillion))
    drain.within = Duration{*us};
  drain.dry_run = f.boolean("dry_run", false);
  const auto ends = words<AfterDeadline>();
  const std::string then = f.one_of("then", {ends.begin(), ends.end()}, Need::optional);
  drain.then = from_word<AfterDeadline>(then).value_or(AfterDeadline::save);
  if (!then.empty() && !drain.within) f.fault("then", "goes with `within_us`, the time until the deadline");
  return drain;
}

Request read_maintenance_add(Fields& f) {
  MaintenanceAdd add;
  add.name = window_name(f);
  add.nodes = f.texts("nodes", 1, kMostNodesOfWindow, kMostNodesOfWindow * 256);
  add.from_unix_us = f.integer("from_unix_us", 0, kLatestBegin, 0, Need::required);
  add.to_unix_us = f.integer("to_unix_us", 0, kLatestBegin, 0, Need::required);
  add.lead = {f.integer("lead_us", 0, 31 * 86'400 * kMillion, kUsualLead.raw, Need::optional)};
  add.mode = drain_mode_of(f);
  if (add.mode == DrainMode::wait)
    f.fault("mode", "is wait, and the nodes are to be empty at the start; choose migrate, save or requeue");
  add.then = f.one_of("then", {"save", "requeue"}, Need::optional) == "requeue" ? AfterDeadline::requeue
                                                                                : AfterDeadline::save;
  add.dry_run = f.boolean("dry_run", false);
  return add;
}

json body_json(const MaintenanceAdd& add) {
  return {{"name", add.name},
          {"nodes", add.nodes},
          {"from_unix_us", add.from_unix_us},
          {"to_unix_us", add.to_unix_us},
          {"lead_us", add.lead.raw},
          {"mode", std::string(word(add.mode))},
          {"then", std::string(word(add.then))},
          {"dry_run", add.dry_run}};
}

Request read_maintenance_remove(Fields& f) { return MaintenanceRemove{window_name(f)}; }
json body_json(const MaintenanceRemove& remove) { return {{"name", remove.name}}; }
Request read_motd_set(Fields& f) {
  MotdSet set{f.text("text", 1, kLongestMotd, Need::required)};
  if (has_control_characters(set.text)) f.fault("text", "has control characters beside line breaks");
  if (set.text.find_first_not_of(" \n") == std::string::npos && !set.text.empty())
    f.fault("text", "is blank; to take the message away: motd.clear");
  return set;
}

json body_json(const MotdSet& set) { return {{"text", set.text}}; }

json drain_json(const NodeDrain& drain) {
  json body{{"node", drain.node}, {"mode", std::string(word(drain.mode))}, {"dry_run", drain.dry_run}};
  if (drain.at_unix_us) body["at_unix_us"] = *drain.at_unix_us;
  if (!drain.within) return body;
  body["within_us"] = drain.within->raw;
  body["then"] = std::string(word(drain.then));
  return body;
}

}  // namespace aliquot::wire
