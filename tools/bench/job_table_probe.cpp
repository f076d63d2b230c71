// Measures what tools/bench/budgets asks for of the manager's job table: the core's state with many jobs
// that wait, without a policy (measured.hpp). With 1,000 jobs beside 100,000, to see how costs grow.
#include <array>
#include <random>
#include <string>
#include <vector>

#include "manager/api/answers/job_answers.hpp"
#include "manager/core/cluster.hpp"
#include "tools/bench/measured.hpp"

namespace aliquot {
namespace {

using bench::Measured;

constexpr std::uint32_t kNodes = 1'000;
constexpr std::size_t kCalls = 1'000;
constexpr std::uint32_t kPage = 100;  // jobs

std::vector<Node> empty_nodes() {
  std::vector<Node> nodes(kNodes);
  for (std::uint32_t k = 0; k < kNodes; ++k) {
    nodes[k].id = {k};
    nodes[k].name = "n" + std::to_string(k);
    nodes[k].capacity = cores(16);
    nodes[k].memory = mebibytes(64 << 10);
  }
  return nodes;
}

Submitted submitted(JobId id) {
  Submission submission;
  submission.demand.tasks = 1 + id.raw % 8;
  submission.demand.need = cores(1);
  submission.demand.memory = mebibytes(512);
  submission.name = "job";
  return {id, Shared<Submission>(std::move(submission))};
}

// So many jobs, numbered from 1.
class Table {
 public:
  explicit Table(std::uint32_t jobs) : cluster_(empty_nodes()), jobs_(jobs) {
    for (std::uint32_t k = 1; k <= jobs; ++k) cluster_.apply(Event(submitted({k})));
    (void)cluster_.take_cause();
    std::mt19937 random(1);
    for (std::size_t k = 0; k < kCalls; ++k)
      chosen_.push_back({std::uniform_int_distribution<std::uint32_t>(1, jobs)(random)});
  }

  void look_up() {
    std::int64_t found = 0;
    for (const JobId job : chosen_)
      found += cluster_.view().jobs.find(job)->second.demand.need.raw + cluster_.record(job)->reruns;
    volatile std::int64_t used = found;
    (void)used;
  }
  // Two changes of each: it is as it was afterwards. A job that waits leaves the list of those, which is
  // kept in order in one piece of memory, and comes back.
  void change() {
    for (std::size_t k = 0; k < kCalls / 2; ++k) {
      cluster_.apply(Event(NeedChanged{chosen_[k], cores(2), ""}));
      cluster_.apply(Event(NeedChanged{chosen_[k], cores(1), ""}));
    }
    (void)cluster_.take_cause();  // as at every decision
  }
  // One comes and another ends: there are as many as before.
  void replace() {
    for (JobId& job : chosen_) {
      const JobId next{next_++};
      cluster_.apply(Event(submitted(next)));
      if (cluster_.record(job) != nullptr) cluster_.apply(Event(Cancelled{job, JobResult::cancelled, ""}));
      job = next;
    }
    (void)cluster_.take_ended();
    (void)cluster_.take_cause();
  }
  void list() {
    List page;
    page.limit = kPage;
    page.after = JobId{jobs_ / 2};
    (void)list_answer(cluster_.state(), page, {}, AnswerClock{});
  }

 private:
  Cluster cluster_;
  std::uint32_t jobs_;
  std::uint32_t next_ = jobs_ + 1;
  std::vector<JobId> chosen_;
};

void add_table(Measured& measured, std::uint32_t jobs, const std::string& size) {
  Table table(jobs);
  measured.add("1,000 look-ups among " + size + " jobs", [&] { table.look_up(); });
  measured.add("1,000 changes among " + size + " jobs", [&] { table.change(); });
  measured.add("a page of the list of " + size + " jobs", [&] { table.list(); });
  measured.add("1,000 jobs come and go among " + size, [&] { table.replace(); });
}

// 20,000 jobs in 100 accounts of five users each; an account may have ten jobs at a time, a user four. So
// 1,000 jobs are the policy's, and 19,000 wait for a limit.
class LimitedTable {
 public:
  LimitedTable() : cluster_(empty_nodes()) {
    AccountsChanged accounts;
    for (std::uint32_t k = 0; k < kAccounts; ++k)
      accounts.accounts.push_back(
          {"a" + std::to_string(k), "", 1, {{LimitKind::jobs, 10}}, {{LimitKind::jobs, 4}}});
    cluster_.apply(Event(std::move(accounts)));
    for (std::uint32_t k = 0; k < kLimitedJobs; ++k) submit();
    (void)cluster_.take_cause();
  }
  // After which what every job counts with may be another.
  void note_time() {
    cluster_.apply(Event(TimerExpired{}));
    (void)cluster_.take_cause();
  }
  // One that is the policy's ends, so that another of its account goes on; and one comes.
  void replace() {
    const JobId first = cluster_.state().records.begin()->first;
    cluster_.apply(Event(Cancelled{first, JobResult::cancelled, ""}));
    submit();
    (void)cluster_.take_ended();
    (void)cluster_.take_cause();
  }

 private:
  static constexpr std::uint32_t kAccounts = 100;
  static constexpr std::uint32_t kLimitedJobs = 20'000;
  void submit() {
    Submitted event = submitted({next_});
    Submission submission = *event.submission;
    submission.account = "a" + std::to_string(next_ % kAccounts);
    submission.uid = next_ / kAccounts % 5;
    event.submission = Shared<Submission>(std::move(submission));
    cluster_.apply(Event(std::move(event)));
    ++next_;
  }

  Cluster cluster_;
  std::uint32_t next_ = 1;
};

void add_limits(Measured& measured) {
  LimitedTable table;
  measured.add("a timer, 20,000 jobs in 100 accounts", [&] { table.note_time(); });
  measured.add("a job ends and one comes in 100 accounts", [&] { table.replace(); });
}

}  // namespace
}  // namespace aliquot

int main() {
  using namespace aliquot;
  Measured measured;
  add_table(measured, 1'000, "1,000");
  add_table(measured, 100'000, "100,000");
  add_limits(measured);
  bench::print(measured);
}
