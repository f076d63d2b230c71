#include "manager/api/answers/deferral_answers.hpp"

#include <vector>

#include "manager/core/account_limits.hpp"
#include "manager/core/deferral.hpp"

namespace aliquot {

std::string deferral_note(const Deferral& its, const AnswerClock& clock) {
  std::vector<std::string> parts;
  if (!its.after.empty()) parts.push_back("waits for " + awaited_text(its.after));
  if (its.singleton) parts.emplace_back("waits for earlier jobs of its name");
  if (its.begin) parts.push_back("begins at " + wire::iso_time(*its.begin, clock));
  if (its.only_limited() && !its.held)
    parts.push_back(its.limit ? "waits for a limit: " + limit_text(*its.limit)
                              : std::string("waits for the limits of its account"));
  if (its.held) parts.emplace_back("is held");
  std::string note;
  for (const std::string& part : parts) note += (note.empty() ? "" : "; ") + part;
  return note;
}

}  // namespace aliquot
