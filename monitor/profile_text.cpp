#include "monitor/profile_text.hpp"

#include "config/quantities.hpp"

namespace aliquot {
namespace {

tl::unexpected<Error> wrong(const std::string& text, const std::string& why) {
  return fail(ErrorKind::invalid_argument,
              "the profile '" + text + "' " + why +
                  "; write DURATION:TASKS for each step and only TASKS for the last, such as 60s:1,5m:4,2");
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back().push_back(c);
  }
  return parts;
}

}  // namespace

Result<Profile> parse_profile(const std::string& text) {
  const std::vector<std::string> parts = parts_of(text);
  if (parts.size() < 2) return wrong(text, "has one step");
  if (parts.size() > kMostSteps + 1) return wrong(text, "has more than " + std::to_string(kMostSteps + 1));
  Profile profile;
  Duration after;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::size_t colon = parts[k].find(':');
    const bool is_last = k + 1 == parts.size();
    if ((colon == std::string::npos) != is_last)
      return wrong(text, is_last ? "gives its last step a duration" : "has a step without a duration");
    const auto tasks = parse_count(is_last ? parts[k] : parts[k].substr(colon + 1));
    if (!tasks || *tasks < 1 || *tasks > kMaxTasks)
      return wrong(text, "has a step whose number of tasks is not from 1 to " + std::to_string(kMaxTasks));
    if (k == 0)
      profile.tasks = static_cast<std::uint32_t>(*tasks);
    else
      profile.later.push_back({after, static_cast<std::uint32_t>(*tasks)});
    if (is_last) break;
    const auto length = parse_duration(parts[k].substr(0, colon));
    if (!length || length->raw <= 0 || *length > kLongestStep)
      return wrong(text, "has a step whose duration is not from above 0 to 1 year");
    after = after + *length;
  }
  return profile;
}

std::string print_profile(std::uint32_t tasks, const std::vector<LaterStep>& later) {
  std::string text;
  Duration before;
  for (const LaterStep& step : later) {
    text += print_duration(step.after - before) + ":" + std::to_string(tasks) + ",";
    tasks = step.tasks;
    before = step.after;
  }
  return text + std::to_string(tasks);
}

}  // namespace aliquot
