#include "tools/sim/workload/true_need_text.hpp"

#include "config/quantities.hpp"
#include "monitor/record/submission.hpp"
#include "policies/text_parts.hpp"
#include "tools/sim/decimal.hpp"

namespace aliquot {
namespace {

tl::unexpected<Error> wrong(const std::string& text, const std::string& why) {
  return fail(ErrorKind::invalid_argument,
              "'" + text.substr(0, 40) + "' " + why +
                  "; write one need, or DURATION:NEED for each phase and only NEED for the last, such as "
                  "10m:0.3,1h:0.8,0.2");
}

Result<Cpu> parse_need(const std::string& text, std::string_view need, Cpu capacity) {
  const auto fraction = parse_decimal(need);
  if (!fraction || fraction->pico <= 0 || fraction->pico > kPico)
    return wrong(text, "has a need that is not from above 0 to 1");
  return std::max(cpu_of(*fraction, capacity), Cpu{1});
}

}  // namespace

Result<TrueNeeds> parse_true_needs(const std::string& text, Cpu capacity) {
  const std::vector<std::string_view> parts = split(text, ',');
  if (parts.size() > kMostSteps + 1)
    return wrong(text, "has more than " + std::to_string(kMostSteps + 1) + " phases");
  TrueNeeds needs;
  Duration from;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::size_t colon = parts[k].find(':');
    const bool is_last = k + 1 == parts.size();
    if ((colon == std::string_view::npos) != is_last)
      return wrong(text, is_last ? "gives its last phase a duration" : "has a phase without a duration");
    const auto need = parse_need(text, is_last ? parts[k] : parts[k].substr(colon + 1), capacity);
    if (!need) return tl::unexpected(need.error());
    needs.push_back({from, *need});
    if (is_last) break;
    const auto length = parse_duration(parts[k].substr(0, colon));
    if (!length || length->raw <= 0 || *length > kLongestStep)
      return wrong(text, "has a phase whose duration is not from above 0 to 1 year");
    from = from + *length;
  }
  return needs;
}

}  // namespace aliquot
