#include "policies/aliquot/grammar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace aliquot {

namespace {

constexpr std::string_view kName = "ALIQUOT";
constexpr std::int64_t kLongestCost = 86'400;
constexpr std::int64_t kMostPercent = 10'000;
constexpr std::int64_t kLongestShort = 3'600;
constexpr std::int64_t kPercent = kMillion / 100;
constexpr const char* kChoices =
    "pause, urgent, hurry, local and budget take on or off, repack on, off or free, yields stretch or "
    "fair, "
    "floor a whole number of percent from 0 to 100, cost whole seconds from 0 to 86400, or as 1% to 10000% "
    "of what is known, short whole seconds from 1 to 3600";

struct Switch {
  std::string_view name;
  bool AliquotSpec::*field;
  std::string_view yes;
  std::string_view no;
};

// In the order of the canonical name.
constexpr std::array<Switch, 6> kSwitches = {{{"pause", &AliquotSpec::pause, "on", "off"},
                                              {"urgent", &AliquotSpec::urgent, "on", "off"},
                                              {"yields", &AliquotSpec::fair, "fair", "stretch"},
                                              {"hurry", &AliquotSpec::hurry, "on", "off"},
                                              {"local", &AliquotSpec::local, "on", "off"},
                                              {"budget", &AliquotSpec::budget, "on", "off"}}};

constexpr std::array<std::string_view, 3> kRepack = {"off", "free", "on"};  // as Repack counts them

tl::unexpected<Error> refuse(std::string_view option, const char* why) {
  return fail(ErrorKind::invalid_argument,
              "policy ALIQUOT, option \"" + std::string(option) + "\": " + why + "; " + kChoices);
}

std::optional<std::int64_t> whole(std::string_view digits, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 0 || value > most) return {};
  return value;
}

bool set_short(AliquotSpec& spec, std::string_view value) {
  spec.short_job = seconds(whole(value, kLongestShort).value_or(0));
  return spec.short_job.raw > 0;
}

bool set_repack(AliquotSpec& spec, std::string_view value) {
  const auto* const known = std::find(kRepack.begin(), kRepack.end(), value);
  if (known == kRepack.end()) return false;
  spec.repack = static_cast<Repack>(known - kRepack.begin());
  return true;
}

bool set_cost(AliquotSpec& spec, std::string_view value) {
  if (!value.ends_with('%')) {
    const auto cost = whole(value, kLongestCost);
    if (cost) spec.cost = seconds(*cost);
    return cost.has_value();
  }
  value.remove_suffix(1);
  spec.cost_percent = whole(value, kMostPercent).value_or(0);
  return spec.cost_percent > 0;
}

Result<void> set(AliquotSpec& spec, std::string_view option) {
  const std::size_t equals = option.find('=');
  if (equals == std::string_view::npos) return refuse(option, "it has no value");
  const std::string_view name = option.substr(0, equals);
  const std::string_view value = option.substr(equals + 1);
  for (const Switch& known : kSwitches) {
    if (name != known.name) continue;
    if (value != known.yes && value != known.no) return refuse(option, "it has no such value");
    spec.*known.field = value == known.yes;
    return {};
  }
  if (name == "repack") {
    if (!set_repack(spec, value)) return refuse(option, "it has no such value");
  } else if (name == "floor") {
    const auto percent = whole(value, 100);
    if (!percent) return refuse(option, "not such a number");
    spec.floor = {*percent * kPercent};
  } else if (name == "cost") {
    if (!set_cost(spec, value)) return refuse(option, "not such a number");
  } else if (name == "short") {
    if (!set_short(spec, value)) return refuse(option, "not such a number");
  } else {
    return refuse(option, "there is no such option");
  }
  return {};
}

}  // namespace

bool looks_aliquot(std::string_view text) {
  return text.starts_with(kName) && (text.size() == kName.size() || text[kName.size()] == ':');
}

Result<AliquotSpec> parse_aliquot(std::string_view text) {
  AliquotSpec spec;
  if (text == kName) return spec;
  std::string_view rest = text.substr(kName.size() + 1);
  std::string seen = ",";
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const std::string_view option = rest.substr(0, comma);
    const std::string name = std::string(option.substr(0, option.find('=')));
    if (seen.find("," + name + ",") != std::string::npos) return refuse(option, "it is given twice");
    seen += name + ",";
    if (auto done = set(spec, option); !done) return tl::unexpected(done.error());
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  return spec;
}

std::string to_string(const AliquotSpec& spec) {
  const AliquotSpec ships;
  std::string options;
  const auto add = [&](std::string_view name, std::string_view value) {
    options += options.empty() ? ':' : ',';
    options += std::string(name) + '=' + std::string(value);
  };
  for (const Switch& known : kSwitches) {
    const bool value = spec.*known.field;
    if (value != ships.*known.field) add(known.name, value ? known.yes : known.no);
  }
  if (spec.repack != ships.repack) add("repack", kRepack[static_cast<std::size_t>(spec.repack)]);
  if (spec.floor != ships.floor) add("floor", std::to_string(spec.floor.raw / kPercent));
  if (spec.cost) add("cost", std::to_string(spec.cost->raw / kMillion));
  if (spec.cost_percent != ships.cost_percent) add("cost", std::to_string(spec.cost_percent) + '%');
  if (spec.short_job != ships.short_job) add("short", std::to_string(spec.short_job.raw / kMillion));
  return std::string(kName) + options;
}

}  // namespace aliquot
