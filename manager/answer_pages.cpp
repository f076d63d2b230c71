#include "manager/answer_pages.hpp"

#include <algorithm>

#include "manager/api/answers/job_answers.hpp"

namespace aliquot {
namespace {

constexpr std::uint32_t kJobsInAnswer = 200;
constexpr std::uint32_t kEventsInAnswer = 500;

}  // namespace

List page_of(List asked) {
  asked.limit = std::min(asked.limit, kJobsInAnswer);
  return asked;
}

Events page_of(Events asked) {
  asked.limit = std::min(asked.limit, kEventsInAnswer);
  return asked;
}

std::vector<JobOutcome> ended_of_page(const Store& store, const CoreState& state, const List& page) {
  if (page.ended_before) return store.ended_before(*page.ended_before, page.limit + 1);
  if (page.all && !is_full_of_active(state, page)) return store.ended_jobs(page.limit + 1);
  return {};
}

std::vector<LoggedEvent> events_of_page(const Store& store, const Events& page) {
  return page.before ? store.events_before(page.job, *page.before, page.limit)
                     : store.events(page.job, page.after, page.limit);
}

}  // namespace aliquot
