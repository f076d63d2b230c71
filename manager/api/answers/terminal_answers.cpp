#include "manager/api/answers/terminal_answers.hpp"

#include <nlohmann/json.hpp>

#include "manager/api/wire/strict_json.hpp"

namespace aliquot {

using nlohmann::json;

std::string attached_answer(JobId job, std::uint32_t task, std::uint64_t terminal) {
  return wire::to_line({{"job", job.raw}, {"task", task}, {"terminal", terminal}});
}

std::string terminal_answer(const std::optional<std::string>& end) {
  json body{{"ended", end.has_value()}};
  if (end) body["why"] = *end;
  return wire::to_line(body);
}

}  // namespace aliquot
