#include "policies/registry.hpp"

#include <algorithm>
#include <cctype>

#include "policies/kinds/by_kind.hpp"
#include "policies/kinds/kinds_state.hpp"
#include "policies/maintenance/by_windows.hpp"
#include "policies/model/nearest.hpp"
#include "policies/small_changes.hpp"
#include "policies/ties/by_ties.hpp"

namespace aliquot {

namespace {

bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool has_period_suffix(const PolicyRow& row) {
  return !row.options.empty() && row.options.front().key == kPeriodSuffix;
}

// "DYNMCB8-PER-60" -> "DYNMCB8-PER": the period does not tell words apart.
std::string_view without_number(std::string_view word) {
  const std::size_t dash = word.rfind('-');
  if (dash == std::string_view::npos) return word;
  const bool digits =
      std::ranges::all_of(word.substr(dash + 1), [](unsigned char c) { return std::isdigit(c) != 0; });
  return digits ? word.substr(0, dash) : word;
}

}  // namespace

PolicyRegistry PolicyRegistry::with(PolicyRow row) const {
  PolicyRegistry more = *this;
  const auto old = std::ranges::find(more.rows_, row.word, &PolicyRow::word);
  if (old == more.rows_.end())
    more.rows_.push_back(std::move(row));
  else
    *old = std::move(row);
  return more;
}

const PolicyRow* PolicyRegistry::find(const PolicyName& name) const {
  if (name.text.empty()) return nullptr;
  const PolicyRow* other_mark = nullptr;
  const PolicyRow* periodic = nullptr;
  bool other_case = false;
  for (const PolicyRow& row : rows_) {
    const bool same_mark = name.mark == '\0' || name.mark == row.mark;
    if (name.word == row.word) {
      if (same_mark) return &row;
      other_mark = &row;
    } else if (has_period_suffix(row) && name.word.starts_with(row.word + '-')) {
      if (!periodic || row.word.size() > periodic->word.size()) periodic = &row;
    } else if (same_mark && equal_but_for_case(name.word, row.word)) {
      other_case = true;
    }
  }
  if (periodic) return periodic;
  return other_case ? nullptr : other_mark;  // "GREEDY*" is meant for Greedy
}

tl::unexpected<Error> PolicyRegistry::unknown(const PolicyName& name) const {
  const PolicyRow* best = nullptr;
  std::size_t least = 0;
  for (const bool same_mark : {true, false}) {
    for (const PolicyRow& row : rows_) {
      if (row.word.empty() || row.listed.empty() || (same_mark && name.mark && name.mark != row.mark))
        continue;
      const std::size_t slips = slips_between(without_number(name.word), row.word);
      if (!best || slips < least) {
        best = &row;
        least = slips;
      }
    }
    if (best) break;
  }
  std::string why = "unknown policy " + quoted(name.text) + " (names are case-sensitive)";
  if (best)
    why += "; did you mean " +
           quoted(best->word + (has_period_suffix(*best) ? '-' + best->options.front().example : "")) + '?';
  return fail(ErrorKind::invalid_argument, why);
}

Result<std::unique_ptr<Policy>> PolicyRegistry::make(std::string_view text) const {
  const PolicyName name = take_apart(text);
  const PolicyRow* row = find(name);
  if (text.size() > kLongestPolicyName && !(row && row->free_text))
    return fail(ErrorKind::too_large, "a policy's name has at most " + std::to_string(kLongestPolicyName) +
                                          " characters, this one has " + std::to_string(text.size()));
  if (!row) return unknown(name);
  return row->make(name, *this).map([](std::unique_ptr<Policy> made) {
    return without_small_changes(by_kind(by_ties(by_windows(std::move(made)))));
  });
}

Result<std::string> PolicyRegistry::with_period(std::string_view text, Duration period) const {
  const auto policy = make(text);
  if (!policy) return tl::unexpected(policy.error());
  const PolicyName name = take_apart(text);
  const PolicyRow& row = *find(name);
  if (!(*policy)->period() || !row.with_period)
    return refuse((*policy)->name(), "it has no period: it decides at every event");
  if (period < seconds(1) || period > kLongestPeriod || period.raw % kMillion != 0)
    return fail(ErrorKind::invalid_argument,
                "a period is " + seconds_rule(1, kLongestPeriod.raw / kMillion));
  return row.with_period(name, period, *this);
}

std::vector<PolicyInfo> PolicyRegistry::known() const {
  std::vector<PolicyInfo> known;
  for (const PolicyRow& row : rows_) known.insert(known.end(), row.listed.begin(), row.listed.end());
  return known;
}

std::shared_ptr<const PolicyState> PolicyRegistry::decode_state(std::string_view text) const {
  if (text.empty()) return nullptr;
  if (auto state = KindsState::decode(text, *this); state && state->encode() == text) return state;
  for (const PolicyRow& row : rows_) {
    auto state = row.decode_state ? row.decode_state(text) : nullptr;
    if (state && state->encode() == text) return state;
  }
  return std::make_shared<TextState>(std::string(text));
}

Result<std::unique_ptr<Policy>> make_policy(std::string_view name) {
  return built_in_policies().make(name);
}

const std::vector<PolicyInfo>& known_policies() {
  static const std::vector<PolicyInfo> known = built_in_policies().known();
  return known;
}

Result<std::string> with_period(std::string_view name, Duration period) {
  return built_in_policies().with_period(name, period);
}

std::shared_ptr<const PolicyState> decode_policy_state(std::string_view text) {
  return built_in_policies().decode_state(text);
}

}  // namespace aliquot
