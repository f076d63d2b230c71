#include "monitor/array_text.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace aliquot {
namespace {

tl::unexpected<Error> wrong(std::string_view text, const std::string& why) {
  return fail(ErrorKind::invalid_argument,
              "'" + std::string(text.substr(0, 40)) + (text.size() > 40 ? "..." : "") + "' " + why +
                  "; write indices such as 0-99, 1,3,5-9:2 or 0-999%50 (at most 50 at a time)");
}

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = fault == std::errc{} && end == text.data() + text.size();
  return whole && value <= kLargestIndex ? std::optional(value) : std::nullopt;
}

struct Range {
  std::uint32_t first = 0, last = 0, step = 1;
};

// "3", "5-9", "5-9:2"
std::optional<Range> range_of(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view ends = text.substr(0, colon);
  const std::size_t dash = std::min(ends.find('-'), ends.size());
  const auto first = number(ends.substr(0, dash));
  const auto last = dash == ends.size() ? first : number(ends.substr(dash + 1));
  const auto step = colon == text.size() ? 1 : number(text.substr(colon + 1));
  const bool has_step = colon != text.size();
  if (!first || !last || !step || *step == 0 || *last < *first || (has_step && dash == ends.size()))
    return std::nullopt;
  return Range{*first, *last, *step};
}

}  // namespace

Result<IndexSet> parse_indices(const std::string& text) {
  if (text.size() > kLongestArray) return wrong(text, "is too long");
  std::vector<std::uint32_t> indices;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view part = std::string_view(text).substr(at, comma - at);
    const auto range = range_of(part);
    if (!range)
      return wrong(text, "has '" + std::string(part.substr(0, 40)) +
                             "', which is no range of indices from 0 to " + std::to_string(kLargestIndex));
    const std::uint64_t count = std::uint64_t{range->last - range->first} / range->step + 1;
    if (indices.size() + count > kMostIndices)
      return wrong(text, "has more than " + std::to_string(kMostIndices) + " indices");
    for (std::uint64_t k = 0; k < count; ++k)
      indices.push_back(static_cast<std::uint32_t>(range->first + k * range->step));
    at = comma + 1;
  }
  IndexSet set = index_set(std::move(indices));
  if (set.size() > kMostIndexRuns)
    return wrong(text, "has more than " + std::to_string(kMostIndexRuns) + " ranges that stand apart");
  return set;
}

Result<ArrayTerms> parse_array(const std::string& text) {
  const std::size_t percent = std::min(text.find('%'), text.size());
  auto indices = parse_indices(text.substr(0, percent));
  if (!indices) return tl::unexpected<Error>(indices.error());
  ArrayTerms terms{std::move(*indices), 0};
  if (percent == text.size()) return terms;
  const auto at_once = number(std::string_view(text).substr(percent + 1));
  if (!at_once || *at_once < 1 || *at_once > kMostMembersAtOnce)
    return wrong(text, "has no number from 1 to " + std::to_string(kMostMembersAtOnce) + " after its %");
  terms.at_once = *at_once;
  return terms;
}

std::string print_indices(const IndexSet& set) {
  std::string text;
  for (const IndexRun& run : set) {
    text += (text.empty() ? "" : ",") + std::to_string(run.first);
    if (run.count > 1) text += "-" + std::to_string(run.first + (run.count - 1) * run.step);
    if (run.step > 1) text += ":" + std::to_string(run.step);
  }
  return text;
}

std::string print_array(const ArrayTerms& terms) {
  return print_indices(terms.indices) + (terms.at_once > 0 ? "%" + std::to_string(terms.at_once) : "");
}

}  // namespace aliquot
