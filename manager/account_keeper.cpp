#include "manager/account_keeper.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>
#include <utility>

#include "manager/core/account_limits.hpp"

namespace aliquot {
namespace {

using fairness::AccountUser;

constexpr Duration kKeptEvery = seconds(5);  // and for so many jobs as this, so much later:
constexpr std::int64_t kJobsPerSecond = 200;
constexpr Duration kServedEvery = seconds(5);
constexpr Duration kFirstLook = seconds(1);
// Nothing is forgotten: a half-life beyond the life of any cluster.
constexpr Duration kForEver = seconds(100'000LL * 365 * 86'400 / 1'000);
constexpr double kSecondsOfHour = 3600;

double core_seconds(Duration granted) { return static_cast<double>(granted.raw) / kMillion; }

AccountUser user_of(const JobRecord& record) {
  return {record.submission->account, record.submission->uid};
}

bool limits_core_hours(const AccountTerms& account) {
  return account.limits.contains(LimitKind::core_hours) ||
         account.each_user.contains(LimitKind::core_hours);
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
  return fields;
}

std::string line_of(const char* what, const AccountUser& user, double amount) {
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", amount);
  return std::string(what) + ',' + user.account + ',' + std::to_string(user.uid) + ',' + text + '\n';
}

template <class Number>
bool read(const std::string& text, Number& number) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc{} && end == text.data() + text.size();
}

}  // namespace

AccountKeeper::AccountKeeper(Parts parts, const std::string& kept, Instant now)
    : parts_(std::move(parts)),
      watch_(fairness::FairShare(fairness::AccountTree(parts_.scheduler.cluster().state().accounts),
                                 parts_.half_life.raw > 0 ? parts_.half_life : kForEver),
             parts_.scheduler.cluster()) {
  take_up(kept, now);
  const CoreState& state = cluster().state();
  has_core_hours_ = std::ranges::any_of(state.accounts, limits_core_hours);
  served_due_ = has_core_hours_ ? now : kNever;
  weights_are_old_ = !is_on() && std::ranges::any_of(state.records, [](const auto& entry) {
    return entry.second.submission->demand.weight != Weight{};
  });
}

void AccountKeeper::take_up(const std::string& kept, Instant now) {
  std::istringstream lines(kept);
  Instant at = now;
  std::map<AccountUser, double> uses, ended;
  std::map<JobId, Counted> jobs;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> fields = fields_of(line);
    AccountUser user;
    double amount = 0;
    std::uint64_t job = 0;
    Duration granted;
    if (fields.size() == 2 && fields[0] == "at" && read(fields[1], at.raw)) continue;
    if (fields.size() == 4 && (fields[0] == "use" || fields[0] == "ended") && read(fields[2], user.uid) &&
        read(fields[3], amount) && std::isfinite(amount) && amount >= 0) {
      user.account = fields[1];
      (fields[0] == "use" ? uses : ended)[user] = amount;
    } else if (fields.size() == 5 && fields[0] == "job" && read(fields[1], job) &&
               read(fields[3], user.uid) && read(fields[4], granted.raw) && granted.raw >= 0) {
      user.account = fields[2];
      jobs[JobId{job}] = {user, granted};
    } else {
      return parts_.warn(
          "account_use_set_aside why=\"what the store has kept of the use of accounts cannot "
          "be read; it is counted anew\"");
    }
  }
  for (const auto& [user, used] : uses) fair_share().take_up(user, used, std::min(at, now));
  for (const auto& [user, count] : ended) fair_share().take_up_ended(user, count, std::min(at, now));
  jobs_ = std::move(jobs);
}

void AccountKeeper::count(JobId job, Counted& counted, Instant now) {
  const Duration granted = parts_.granted(job, now);
  if (granted <= counted.granted) return;
  fair_share().add(counted.user, core_seconds(granted - counted.granted), now);
  counted.granted = granted;
}

void AccountKeeper::count_all(Instant now) {
  const auto& records = cluster().state().records;
  for (const auto& [id, record] : records)
    if (!record.array) jobs_.try_emplace(id, Counted{user_of(record), {}});
  for (auto at = jobs_.begin(); at != jobs_.end();) {
    count(at->first, at->second, now);
    // It has ended while the manager was away.
    at = records.contains(at->first) ? std::next(at) : jobs_.erase(at);
  }
}

void AccountKeeper::on_step(const Step& step, const ClusterView& after) {
  if (is_on()) watch_.count_ended(step);
  for (const JobOutcome& outcome : step.ended) {
    if (outcome.submission->array) continue;
    const auto [at, is_new] =
        jobs_.try_emplace(outcome.job, Counted{{outcome.submission->account, outcome.submission->uid}, {}});
    count(outcome.job, at->second, step.now);
    jobs_.erase(at);
  }
  for (const Event& event : step.events) {
    const auto* changed = std::get_if<AccountsChanged>(&event);
    if (!changed) continue;
    fair_share().set_tree(fairness::AccountTree(changed->accounts));
    has_core_hours_ = std::ranges::any_of(changed->accounts, limits_core_hours);
    served_due_ = step.now;
    if (is_on()) watch_.look_again(step.now);
  }
  if (after.jobs.empty()) return;
  if (is_on() && watch_.next_due() == kNever) watch_.look_again(step.now + kFirstLook);
  if (has_core_hours_ && served_due_ == kNever) served_due_ = step.now + kFirstLook;
}

void AccountKeeper::before_step(std::vector<Event>& events, Instant now) {
  if (std::exchange(weights_are_old_, false)) {
    std::set<AccountUser> users;
    for (const auto& [id, record] : cluster().state().records) users.insert(user_of(record));
    WeightsChanged all_alike;
    for (const AccountUser& user : users) all_alike.weights.push_back({user.account, user.uid, Weight{}});
    events.emplace_back(std::move(all_alike));
  }
  if (next_due() > now) return;
  count_all(now);
  if (is_on()) watch_.observe(now, cluster(), events);
  if (served_due_ <= now) tell_served(events, now);
}

Instant AccountKeeper::next_due() const {
  if (weights_are_old_) return Instant{};
  return std::min(is_on() ? watch_.next_due() : kNever, served_due_);
}

void AccountKeeper::tell_served(std::vector<Event>& events, Instant now) {
  const CoreState& state = cluster().state();
  served_due_ = has_core_hours_ && !state.view.jobs.empty() ? now + kServedEvery : kNever;
  std::map<std::string, AccountTerms> terms;
  for (const AccountTerms& account : state.accounts) terms.emplace(account.name, account);
  std::map<std::string, double> of_accounts;
  std::map<AccountUser, double> of_users;
  for (const auto& [user, use] : fair_share().uses())
    for (const AccountTerms* account : path_up(terms, user.account)) {
      const double used = fair_share().used(user, now) / kSecondsOfHour;
      of_accounts[account->name] += used;
      of_users[{account->name, user.uid}] += used;
    }
  CoreHoursServed served;
  const auto look = [&](const AccountLimits& limits, double used, const ServedCoreHours& whose) {
    const auto most = limits.find(LimitKind::core_hours);
    if (most == limits.end() || used < static_cast<double>(most->second)) return;
    served.reached.push_back(whose);
    served.reached.back().core_hours = static_cast<std::int64_t>(used);
  };
  for (const auto& [name, used] : of_accounts) look(terms.at(name).limits, used, {name, {}, 0});
  for (const auto& [user, used] : of_users)
    look(terms.at(user.account).each_user, used, {user.account, user.uid, 0});
  const auto is_of_the_same = [](const ServedCoreHours& a, const ServedCoreHours& b) {
    return a.account == b.account && a.uid == b.uid;
  };
  if (!std::ranges::equal(served.reached, state.served, is_of_the_same))
    events.emplace_back(std::move(served));
}

bool AccountKeeper::is_asked_for() const {
  return is_on() || has_core_hours_ || !cluster().state().accounts.empty();
}

void AccountKeeper::every_second(Instant now) {
  if (!is_asked_for()) return;
  const auto many = seconds(static_cast<std::int64_t>(jobs_.size()) / kJobsPerSecond);
  if (!kept_at_ || now - *kept_at_ >= std::max(kKeptEvery, many)) {
    keep(now);
    parts_.tell(standings(now));
  }
}

void AccountKeeper::keep(Instant now) {
  kept_at_ = now;
  if (jobs_.empty() && cluster().state().records.empty() && fair_share().uses().empty() &&
      fair_share().all_ended().empty())
    return;
  count_all(now);
  std::string text = "at," + std::to_string(now.raw) + "\n";
  const Duration half_life = fair_share().half_life();
  for (const auto& [user, use] : fair_share().uses()) text += line_of("use", user, use.at(now, half_life));
  for (const auto& [user, count] : fair_share().all_ended())
    text += line_of("ended", user, count.at(now, half_life));
  for (const auto& [job, counted] : jobs_)
    text += "job," + std::to_string(job.raw) + "," + counted.user.account + "," +
            std::to_string(counted.user.uid) + "," + std::to_string(counted.granted.raw) + "\n";
  parts_.keep(std::move(text));
}

Weight AccountKeeper::weight_of(const AccountUser& user, Instant now) {
  return is_on() ? watch_.weight_of(user, cluster(), now) : Weight{};
}

AccountStandings AccountKeeper::standings(Instant now) {
  count_all(now);
  AccountStandings all;
  if (is_on()) all.half_life = parts_.half_life;
  const std::vector<fairness::ActiveUser> active = active_users(cluster());
  const std::vector<fairness::Standing> standings = fair_share().standings(active, now);
  for (const auto& [user, use] : fair_share().uses()) all.users[user].used = fair_share().used(user, now);
  for (std::size_t k = 0; k < active.size(); ++k) {
    UserStanding& row = all.users[active[k].user];
    row.entitled = standings[k].entitled;
    all.used += standings[k].used;
  }
  for (const auto& [id, record] : cluster().state().records) {
    if (record.array) continue;
    UserStanding& row = all.users[user_of(record)];
    ++row.jobs;
    row.weight = record.submission->demand.weight;
  }
  return all;
}

}  // namespace aliquot
