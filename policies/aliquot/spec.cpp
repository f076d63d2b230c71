#include "policies/aliquot/spec.hpp"

namespace aliquot {

namespace {

constexpr std::int64_t kLongestCost = 86'400;
constexpr std::int64_t kMostPercent = 10'000;
constexpr std::int64_t kLongestShortJob = 3'600;
constexpr std::int64_t kPercent = kMillion / 100;

PolicyOption<AliquotSpec> on_or_off(const char* key, bool AliquotSpec::*field) {
  return choice<AliquotSpec, bool>(key, field, {{"on", true}, {"off", false}});
}

PolicyOption<AliquotSpec> floor_option() {
  return {{"floor", "=percent", "a whole number of percent from 0 to 100", "30"},
          [](AliquotSpec& spec, std::optional<std::string_view> value) {
            const auto percent = whole_number(value.value_or(""), 0, 100);
            if (percent) spec.floor = {*percent * kPercent};
            return percent.has_value();
          },
          [](const AliquotSpec& spec) { return std::optional(std::to_string(spec.floor.raw / kPercent)); }};
}

// Seconds, or percent of the cost that the view tells.
PolicyOption<AliquotSpec> cost_option() {
  return {{"cost", "=s|percent%", "whole seconds from 0 to 86400, or 1% to 10000% of what is known", "50%"},
          [](AliquotSpec& spec, std::optional<std::string_view> value) {
            if (!value || !value->ends_with('%')) {
              spec.cost = whole_seconds(value, 0, kLongestCost);
              return spec.cost.has_value();
            }
            value->remove_suffix(1);
            const auto percent = whole_number(*value, 1, kMostPercent);
            spec.cost_percent = percent.value_or(spec.cost_percent);
            return percent.has_value();
          },
          [](const AliquotSpec& spec) {
            return std::optional(spec.cost ? seconds_text(*spec.cost)
                                           : std::to_string(spec.cost_percent) + '%');
          }};
}

}  // namespace

const PolicyGrammar<AliquotSpec>& aliquot_grammar() {
  static const PolicyGrammar<AliquotSpec> grammar{
      "ALIQUOT",
      {},
      ':',
      {on_or_off("pause", &AliquotSpec::pause), on_or_off("urgent", &AliquotSpec::urgent),
       choice<AliquotSpec, bool>("yields", &AliquotSpec::fair, {{"stretch", false}, {"fair", true}}),
       on_or_off("hurry", &AliquotSpec::hurry), on_or_off("local", &AliquotSpec::local),
       on_or_off("budget", &AliquotSpec::budget),
       choice<AliquotSpec, Repack>(
           "repack", &AliquotSpec::repack,
           {{"on", Repack::on}, {"off", Repack::off}, {"free", Repack::where_free}}),
       floor_option(), cost_option(),
       whole_seconds("short", "s", &AliquotSpec::short_job, 1, kLongestShortJob, 30)}};
  return grammar;
}

std::string to_string(const AliquotSpec& spec) { return aliquot_grammar().print(spec); }

}  // namespace aliquot
