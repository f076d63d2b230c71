#include "monitor/start_text.hpp"

#include <algorithm>

#include "config/quantities.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot {
namespace {

tl::unexpected<Error> wrong(const std::string& text, const std::string& why) {
  return fail(ErrorKind::invalid_argument, "'" + text + "' " + why +
                                               "; write KIND:JOB with start, any, ok or notok as the kind, "
                                               "such as ok:7, ok:7[3] or ok:7,any:8:9");
}

// "7", or "7[3]" for a member of array 7.
std::optional<Dependency> awaited_job(const std::string& text, Awaited what) {
  const std::size_t bracket = text.find('[');
  const auto job = parse_count(text.substr(0, bracket));
  if (!job || *job < 1) return std::nullopt;
  Dependency one{JobId{static_cast<std::uint64_t>(*job)}, what};
  if (bracket == std::string::npos) return one;
  const auto member = parse_count(text.substr(bracket + 1, text.size() - bracket - 2));
  if (!text.ends_with(']') || !member || *member < 0 || *member > kLargestIndex) return std::nullopt;
  one.member = static_cast<std::uint32_t>(*member);
  return one;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back().push_back(c);
  }
  return parts;
}

}  // namespace

Result<std::vector<Dependency>> parse_dependencies(const std::string& text) {
  if (text.size() > kLongestDependencies) return wrong(text.substr(0, 40) + "...", "is too long");
  std::vector<Dependency> after;
  for (const std::string& group : split(text, ',')) {
    const std::vector<std::string> parts = split(group, ':');
    const auto what = from_word<Awaited>(parts[0]);
    if (!what) return wrong(text, "names '" + parts[0] + "', which is no kind of dependency");
    if (parts.size() < 2) return wrong(text, "names no job");
    for (std::size_t k = 1; k < parts.size(); ++k) {
      const auto one = awaited_job(parts[k], *what);
      if (!one) return wrong(text, "names '" + parts[k] + "', which is no number of a job");
      if (std::ranges::find(after, *one) == after.end()) after.push_back(*one);
    }
  }
  if (after.size() > kMostDependencies)
    return wrong(text.substr(0, 40) + "...",
                 "has more than " + std::to_string(kMostDependencies) + " dependencies");
  return after;
}

std::string print_dependencies(const std::vector<Dependency>& after) {
  std::string text;
  for (const Dependency& one : after)
    text += (text.empty() ? "" : ",") + std::string(word(one.what)) + ":" + std::to_string(one.job.raw) +
            (one.member ? "[" + std::to_string(*one.member) + "]" : "");
  return text;
}

}  // namespace aliquot
