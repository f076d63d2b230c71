#include "tools/sim/power/power_options.hpp"

#include <CLI/CLI.hpp>

#include "tools/sim/option_values.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

constexpr std::uint64_t kMostReserve = 1'000'000;
constexpr Decimal kMostWatts{kPico * 1'000'000}, kMostDeviations{kPico * 1'000};

// Rounds to a thousandth, or to a hundredth.
std::int64_t in_parts(Decimal value, std::int64_t parts) {
  const Int128 step = kPico / parts;
  return static_cast<std::int64_t>((value.pico + step / 2) / step);
}

}  // namespace

void add_power_options(CLI::App& command, TypedPower& typed) {
  const auto add = [&](const char* name, std::string& to, const char* help) {
    command.add_option(name, to, help)->capture_default_str();
  };
  add("--boot", typed.boot, "seconds from the wish to wake a node until it can be used");
  add("--switch-off", typed.switch_off, "seconds until a node that goes off is off");
  add("--minimum-on", typed.minimum_on, "seconds that a woken node stays on for at least");
  add("--reserve", typed.reserve, "nodes that are on and idle, at the least (rule aliquot)");
  add("--caution", typed.caution,
      "the reserve is the arrivals expected during a boot, and so many standard deviations more");
  add("--idle-watts", typed.idle, "of a node that is on and idle");
  add("--full-watts", typed.full, "of a node at full utilisation");
  add("--asleep-watts", typed.asleep, "of a node that is off");
}

Result<power::PowerSettings> power_settings(const TypedPower& typed) {
  power::PowerSettings settings;
  const struct {
    const char* name;
    const std::string& text;
    Decimal most;
    std::int64_t parts;
    std::int64_t& to;
  } numbers[] = {{"--boot", typed.boot, kLongestRuntime, kMillion, settings.boot.raw},
                 {"--switch-off", typed.switch_off, kLongestRuntime, kMillion, settings.switch_off.raw},
                 {"--minimum-on", typed.minimum_on, kLongestRuntime, kMillion, settings.minimum_on.raw},
                 {"--caution", typed.caution, kMostDeviations, 100, settings.caution},
                 {"--idle-watts", typed.idle, kMostWatts, 1'000, settings.draw.idle.raw},
                 {"--full-watts", typed.full, kMostWatts, 1'000, settings.draw.full.raw},
                 {"--asleep-watts", typed.asleep, kMostWatts, 1'000, settings.draw.asleep.raw}};
  for (const auto& number : numbers) {
    const auto value = number_option(number.name, number.text, number.most);
    if (!value) return tl::unexpected(value.error());
    number.to = in_parts(*value, number.parts);
  }
  const auto reserve = seed_option("--reserve", typed.reserve, kMostReserve);
  if (!reserve) return tl::unexpected(reserve.error());
  settings.reserve = static_cast<std::uint32_t>(*reserve);
  if (settings.draw.full < settings.draw.idle || settings.draw.idle < settings.draw.asleep)
    return tl::unexpected(bad_option("--full-watts",
                                     "a node draws the most at full utilisation, and the "
                                     "least when it is asleep: correct the watts"));
  return settings;
}

}  // namespace aliquot
