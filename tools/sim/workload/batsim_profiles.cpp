#include "tools/sim/workload/batsim_profiles.hpp"

#include <algorithm>
#include <charconv>

#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

using Kind = JsonPiece::Kind;

constexpr int kDeepest = 100;  // sequences within sequences
constexpr std::uint64_t kMostRepeats = 1'000'000;
constexpr std::size_t kLongestName = 1'000;
constexpr std::size_t kMostValues = 4'000'000;  // of all profiles

std::size_t values_of(const JsonPiece& piece) {
  std::size_t count = 1 + piece.members.size() + piece.items.size();
  for (const JsonPiece& item : piece.items) count += item.items.size() + item.members.size();
  for (const auto& [name, value] : piece.members) count += value.items.size() + value.members.size();
  return count;
}

tl::unexpected<Error> bad(const std::string& profile, const std::string& why) {
  return fail(ErrorKind::invalid_argument, "profile '" + profile.substr(0, 80) + "': " + why);
}

Result<Decimal> number(const std::string& profile, const std::string& key, const JsonPiece& value) {
  if (value.kind != Kind::number) return bad(profile, key + " should be a number");
  const auto read = parse_decimal(value.text);
  if (!read) return bad(profile, key + ": " + read.error().message);
  if (read->pico < 0) return bad(profile, key + " is negative");
  return *read;
}

// Flops and bytes, which may be larger than a Decimal: the largest of a list, or the one that stands there.
Result<double> largest(const std::string& profile, const std::string& key, const JsonPiece& value) {
  if (value.kind == Kind::list) {
    double most = 0;
    for (const JsonPiece& item : value.items) {
      if (item.kind == Kind::list) return bad(profile, key + " should hold numbers");
      const auto read = largest(profile, key, item);
      if (!read) return read;
      most = std::max(most, *read);
    }
    return most;
  }
  if (value.kind != Kind::number) return bad(profile, key + " should be a number");
  double amount = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [stop, failed] = std::from_chars(value.text.data(), end, amount);
  if (failed != std::errc{} || stop != end || amount < 0 || amount > 1e30) {
    return bad(profile, key + ": '" + value.text.substr(0, 40) + "' is not a number from 0 to 1e30");
  }
  return amount;
}

std::string type_of(const JsonPiece& profile) {
  const JsonPiece* type = profile.find("type");
  return type && type->kind == Kind::text ? type->text : "";
}

bool one_of(const std::string& type, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, type) != names.end();
}

}  // namespace

Result<void> BatsimProfiles::add(const std::string& name, JsonPiece profile) {
  if (name.size() > kLongestName || std::ranges::any_of(name, is_control)) {
    return fail(ErrorKind::invalid_argument, "the name of a profile is longer than " +
                                                 std::to_string(kLongestName) +
                                                 " characters, or has control characters");
  }
  values_ += values_of(profile);
  if (values_ > kMostValues) return fail(ErrorKind::too_large, "the profiles are too large to be held");
  if (profiles_.emplace(name, std::move(profile)).second) return {};
  return bad(name, "stands there twice");
}

Result<BatsimProfiles::Run> BatsimProfiles::run_of(const std::string& name, std::uint32_t resources) {
  const auto [entry, fresh] = known_.try_emplace({name, resources});
  if (!fresh && entry->second) return *entry->second;
  if (!fresh) return bad(name, "is a part of itself");
  auto run = compute(name, resources);
  if (run && run->seconds > kLongestRuntime) {
    run = bad(name, "takes more than " + to_text(kLongestRuntime) + " s");
  }
  if (run) {
    entry->second = *run;
  } else {
    known_.erase(entry);
  }
  return run;
}

Result<BatsimProfiles::Run> BatsimProfiles::compute(const std::string& name, std::uint32_t resources) {
  const auto found = profiles_.find(name);
  if (found == profiles_.end()) return bad(name, "the file does not define it");
  const JsonPiece& profile = found->second;
  if (profile.kind != Kind::map) return bad(name, "should be an object, {...}");
  const std::string type = type_of(profile);
  Result<Decimal> seconds = Decimal{};
  if (one_of(type, {"delay", "DelayProfile"})) {
    const JsonPiece* delay = profile.find("delay");
    seconds = delay ? number(name, "delay", *delay) : Result<Decimal>(bad(name, "has no delay"));
  } else if (one_of(type, {"parallel_homogeneous", "ParallelTaskHomogeneousProfile"})) {
    const JsonPiece* strategy = profile.find("generation_strategy");
    const bool spread =
        strategy && one_of(strategy->text, {"DefinedAmountsSpreadUniformly", "spread_uniformly"});
    seconds = computing(name, profile, resources, spread);
  } else if (one_of(type, {"parallel_homogeneous_total", "parallel", "ParallelTaskProfile"})) {
    seconds = computing(name, profile, resources, type == "parallel_homogeneous_total");
  } else if (one_of(type, {"composed", "sequence", "SequentialCompositionProfile"})) {
    seconds = sum_of_parts(name, profile, resources);
  } else {
    return bad(name, "a profile of type '" + type.substr(0, 80) +
                         "' cannot be simulated here: take its jobs out, or make it a delay");
  }
  if (!seconds) return tl::unexpected(seconds.error());
  Run run{*seconds, 0, one_of(type, {"delay", "DelayProfile"})};
  if (const JsonPiece* code = profile.find("ret")) {
    const auto value = number(name, "ret", *code);
    if (!value) return tl::unexpected(value.error());
    if (*value > Decimal{255 * kPico} || value->pico % kPico != 0) {
      return bad(name, "ret is no exit code, a whole number from 0 to 255");
    }
    run.exit_code = static_cast<int>(value->pico / kPico);
  }
  return run;
}

Result<Decimal> BatsimProfiles::computing(const std::string& name, const JsonPiece& profile,
                                          std::uint32_t resources, bool spread) {
  if (const JsonPiece* com = profile.find("com")) {
    const auto bytes = largest(name, "com", *com);
    if (!bytes) return tl::unexpected(bytes.error());
    if (*bytes > 0) silenced_.insert(name);
  }
  const JsonPiece* cpu = profile.find("cpu");
  if (!cpu) return bad(name, "has no cpu: only communication, which is not simulated here");
  if (cpu->kind == Kind::list && cpu->items.size() != resources) {
    return bad(name, "computes on " + std::to_string(cpu->items.size()) + " resources, and a job of " +
                         std::to_string(resources) + " uses it");
  }
  const auto flops = largest(name, "cpu", *cpu);
  if (!flops) return tl::unexpected(flops.error());
  const double seconds = *flops / speed_ / (spread ? resources : 1);
  if (seconds > 1e12) return bad(name, "takes more than " + to_text(kLongestRuntime) + " s");
  return Decimal{static_cast<Int128>(seconds * 1e12 + 0.5)};
}

Result<Decimal> BatsimProfiles::sum_of_parts(const std::string& name, const JsonPiece& profile,
                                             std::uint32_t resources) {
  if (depth_ >= kDeepest) return bad(name, "sequences are nested too deeply");
  const JsonPiece* parts = profile.find("seq");
  if (!parts || parts->kind != Kind::list) return bad(name, "has no list seq");
  Decimal sum;
  for (const JsonPiece& part : parts->items) {
    if (part.kind != Kind::text) return bad(name, "seq should name profiles");
    ++depth_;
    const auto run = run_of(part.text, resources);
    --depth_;
    if (!run) return tl::unexpected(run.error());
    sum.pico += run->seconds.pico;
    if (sum > kLongestRuntime) return bad(name, "takes more than " + to_text(kLongestRuntime) + " s");
  }
  const JsonPiece* repeat = profile.find("repeat");
  if (!repeat) repeat = profile.find("nb");
  if (!repeat) return sum;
  const auto times = parse_count(repeat->kind == Kind::number ? repeat->text : "", kMostRepeats);
  if (!times || *times == 0)
    return bad(name, "repeat should be a whole number from 1 to " + std::to_string(kMostRepeats));
  return Decimal{sum.pico * static_cast<Int128>(*times)};
}

}  // namespace aliquot
