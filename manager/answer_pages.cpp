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
  const bool wants_ended = page.ended_before || (page.all && !is_full_of_active(state, page));
  if (!wants_ended) return {};
  return store.ended_page({page.array, page.ended_before, page.limit + std::size_t{1}});
}

std::vector<LoggedEvent> events_of_page(const Store& store, const Events& page) {
  return page.before ? store.events_before(page.job, *page.before, page.limit)
                     : store.events(page.job, page.after, page.limit);
}

}  // namespace aliquot
