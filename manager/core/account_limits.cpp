#include "manager/core/account_limits.hpp"

#include <algorithm>
#include <utility>

#include "manager/core/deferral.hpp"
#include "policies/reasons.hpp"

namespace aliquot {
namespace {

using Terms = std::map<std::string, AccountTerms>;
using Scope = std::pair<std::string, std::optional<std::uint32_t>>;  // an account, or a user in it

// What fits now was found to be so until here in this pass; by scope, the job that did not.
using Blocked = std::map<Scope, JobId>;

void add_to_sums(LimitUses& uses, const Submission& job, const Amounts& more, bool takes_away) {
  const auto change = [&](Amounts& sum) { takes_away ? sum -= more : sum += more; };
  for (const AccountTerms* account : path_up(uses.terms, job.account)) {
    change(uses.of_accounts[account->name]);
    change(uses.of_users[{account->name, job.uid}]);
  }
}

const ServedCoreHours* served(const CoreState& core, const Scope& scope) {
  const auto found = std::ranges::find_if(core.served, [&](const ServedCoreHours& one) {
    return one.account == scope.first && one.uid == scope.second;
  });
  return found == core.served.end() ? nullptr : &*found;
}

// The first of these limits that is in the way.
std::optional<LimitWait> in_the_way(const CoreState& core, const Scope& scope, const AccountLimits& limits,
                                    const Amounts& used, const Amounts& asked) {
  for (const auto& [kind, most] : limits) {
    LimitWait wait{scope.first, scope.second, kind, most, used.of(kind), asked.of(kind), {}};
    if (kind == LimitKind::core_hours) {
      const ServedCoreHours* reached = served(core, scope);
      if (!reached) continue;
      wait.used = reached->core_hours;
      return wait;
    }
    // A job without devices needs none of an account that has used all of them.
    if (wait.asked > 0 && wait.used + wait.asked > most) return wait;
  }
  return std::nullopt;
}

template <class Sums, class Key>
Amounts sum_of(const Sums& sums, const Key& key) {
  const auto found = sums.find(key);
  return found == sums.end() ? Amounts{} : found->second;
}

std::optional<LimitWait> in_the_way(const ClusterState& state, const Submission& job,
                                    const Amounts& asked) {
  const LimitUses& uses = state.uses;
  for (const AccountTerms* account : path_up(uses.terms, job.account)) {
    const std::string& name = account->name;
    if (auto wait = in_the_way(state.core, {name, std::nullopt}, account->limits,
                               sum_of(uses.of_accounts, name), asked))
      return wait;
    if (auto wait = in_the_way(state.core, {name, job.uid}, account->each_user,
                               sum_of(uses.of_users, LimitUses::User{name, job.uid}), asked))
      return wait;
  }
  return std::nullopt;
}

// With the tasks that it has now.
Amounts amounts_with(const JobRecord& record) {
  std::uint32_t tasks = record.evolution.growth;
  for (const Vm& vm : record.vms)
    if (stays(vm)) tasks += vm.units;
  return amounts_of(record.submission->demand, tasks);
}

// The earlier job of this account or user that waits for a limit of it.
std::optional<std::pair<Scope, JobId>> behind(const LimitUses& uses, const Submission& job,
                                              const Blocked& blocked) {
  if (blocked.empty()) return std::nullopt;
  for (const AccountTerms* account : path_up(uses.terms, job.account))
    for (const Scope& scope : {Scope{account->name, std::nullopt}, Scope{account->name, job.uid}})
      if (const auto found = blocked.find(scope); found != blocked.end()) return *found;
  return std::nullopt;
}

// What stands in the way of a job that has come to its turn; none: it may go.
std::optional<LimitWait> look_at(const ClusterState& state, JobId id, const JobRecord& record,
                                 Blocked& blocked) {
  const Submission& job = *record.submission;
  const Amounts asked = amounts_with(record);
  auto wait = in_the_way(state, job, asked);
  if (!wait) {
    const auto first = behind(state.uses, job, blocked);
    if (!first) return std::nullopt;
    wait = state.core.records.at(first->second).deferral.limit;
    if (!wait) return std::nullopt;
    wait->used =
        wait->kind == LimitKind::core_hours ? wait->used
        : wait->uid ? sum_of(state.uses.of_users, LimitUses::User{wait->account, *wait->uid}).of(wait->kind)
                    : sum_of(state.uses.of_accounts, wait->account).of(wait->kind);
    wait->asked = asked.of(wait->kind);
    wait->behind = first->second;
    return wait;
  }
  if (!never_allowed(state.uses.terms, {job.account, job.uid}, asked))
    blocked.try_emplace({wait->account, wait->uid}, id);
  return wait;
}

// The topmost account above the job that has limits; empty: none has.
std::string top_of(const LimitUses& uses, const Submission& job) {
  std::string top;
  for (const AccountTerms* one : path_up(uses.terms, job.account))
    if (!one->limits.empty() || !one->each_user.empty()) top = one->name;
  return top;
}

void stop_waiting(LimitUses& uses, const std::string& top, JobId id) {
  const auto below = uses.waiting.find(top);
  if (below == uses.waiting.end()) return;
  below->second.erase(id);
  if (below->second.empty()) uses.waiting.erase(below);
}

void look_at_all(LimitUses& uses) {
  for (const auto& [top, jobs] : uses.waiting) uses.look.insert(top);
}

// It waits, and nothing of it has ever been on a node.
bool has_not_begun(const DerivedJob& known) {
  const JobRecord& record = *known.record;
  return known.job && known.job->phase == Phase::waiting && !record.started && !record.array &&
         std::ranges::all_of(record.vms, [](const Vm& vm) {
           return vm.state == VmState::absent && !vm.flight && !vm.unclear;
         });
}

// The jobs that wait below one topmost account, in the order of their numbers.
void admit_below(ClusterState& state, const std::string& top, const std::set<JobId>& waiting) {
  Blocked blocked;
  for (const JobId id : waiting) {
    DerivedJob* const known = state.derived.find(id);
    if (!known || !known->job) continue;
    Deferral& deferral = known->record->deferral;
    if (!deferral.only_limited() || deferral.held) continue;
    deferral.limit = look_at(state, id, *known->record, blocked);
    if (deferral.limit) continue;
    deferral.limited = false;
    stop_waiting(state.uses, top, id);
    recount(state, id);
    arrive_if_ready(state, *known);
  }
}

}  // namespace

std::vector<const AccountTerms*> path_up(const Terms& terms, const std::string& account) {
  std::vector<const AccountTerms*> path;
  for (auto at = terms.find(account); at != terms.end(); at = terms.find(at->second.parent))
    path.push_back(&at->second);
  return path;
}

Amounts counted_of(const JobRecord& record) {
  if (record.array || record.leaving || record.deferral.any()) return {};
  return amounts_with(record);
}

std::optional<LimitWait> never_allowed(const Terms& terms, const LimitUses::User& user,
                                       const Amounts& asked) {
  const auto& [account, uid] = user;
  for (const AccountTerms* one : path_up(terms, account))
    for (const AccountLimits* limits : {&one->limits, &one->each_user})
      for (const auto& [kind, most] : *limits)
        if (kind != LimitKind::core_hours && asked.of(kind) > most)
          return LimitWait{one->name, limits == &one->each_user ? std::optional(uid) : std::nullopt,
                           kind,      most,
                           0,         asked.of(kind),
                           {}};
  return std::nullopt;
}

std::string amount_text(LimitKind kind, std::int64_t amount) {
  switch (kind) {
    case LimitKind::cpu:
      return text_of(Cpu{amount});
    case LimitKind::memory:
      return text_of(Memory{amount}) + " of memory";
    case LimitKind::core_hours:
      return std::to_string(amount) + (amount == 1 ? " core-hour" : " core-hours");
    default: {
      const std::string name(limit_name(kind));
      return std::to_string(amount) + " " + (amount == 1 ? name.substr(0, name.size() - 1) : name);
    }
  }
}

std::string limit_text(const LimitWait& wait) {
  const std::string whose =
      (wait.uid ? "user id " + std::to_string(*wait.uid) + " in account " : std::string("account ")) +
      wait.account;
  if (wait.kind == LimitKind::core_hours)
    return whose + " may be served " + amount_text(wait.kind, wait.most) + ", and has been served " +
           amount_text(wait.kind, wait.used);
  std::string text = whose + " may have " + amount_text(wait.kind, wait.most) + " at a time, has " +
                     amount_text(wait.kind, wait.used) + ", and this job asks for " +
                     amount_text(wait.kind, wait.asked);
  if (wait.behind)
    text += ", behind job " + std::to_string(wait.behind->raw) + ", which does not fit and came first";
  return text;
}

void recount(ClusterState& state, JobId id) {
  LimitUses& uses = state.uses;
  if (!uses.limited) return;
  const auto record = state.core.records.find(id);
  if (record == state.core.records.end()) return;
  if (record->second.deferral.only_limited()) {
    const std::string top = top_of(uses, *record->second.submission);
    uses.waiting[top].insert(id);
    uses.look.insert(top);
  }
  const Amounts now = counted_of(record->second);
  const auto before = uses.counted.find(id);
  if (before != uses.counted.end() && before->second == now) return;
  if (before == uses.counted.end() && now == Amounts{}) return;
  if (before != uses.counted.end()) {
    add_to_sums(uses, *record->second.submission, before->second, true);
    uses.look.insert(top_of(uses, *record->second.submission));
  }
  add_to_sums(uses, *record->second.submission, now, false);
  uses.counted[id] = now;
}

void recount_touched(ClusterState& state) {
  if (!state.uses.limited) return;
  for (const DerivedJob* job : state.derived.touched()) recount(state, job->id);
}

void forget_use(ClusterState& state, JobId id) {
  LimitUses& uses = state.uses;
  const Submission& job = *state.core.records.at(id).submission;
  const std::string top = top_of(uses, job);
  stop_waiting(uses, top, id);
  const auto counted = uses.counted.find(id);
  if (counted == uses.counted.end()) return;
  add_to_sums(uses, job, counted->second, true);
  uses.counted.erase(counted);
  uses.look.insert(top);
}

bool is_limited(const ClusterState& state, const Submission& submission) {
  if (!state.uses.limited || submission.array) return false;
  return std::ranges::any_of(path_up(state.uses.terms, submission.account), [](const AccountTerms* one) {
    return !one->limits.empty() || !one->each_user.empty();
  });
}

void count_uses(ClusterState& state) {
  LimitUses& uses = state.uses;
  uses = {};
  for (const AccountTerms& account : state.core.accounts) {
    uses.terms.emplace(account.name, account);
    uses.limited = uses.limited || !account.limits.empty() || !account.each_user.empty();
  }
  for (const auto& [id, record] : state.core.records)
    if (record.deferral.only_limited()) uses.waiting[top_of(uses, *record.submission)].insert(id);
  for (const auto& [id, record] : state.core.records) recount(state, id);
  look_at_all(uses);
}

void withdraw(ClusterState& state, DerivedJob& known) {
  Deferral& deferral = known.record->deferral;
  if (!has_not_begun(known) || deferral.any() || !is_limited(state, *known.record->submission)) return;
  deferral.limited = true;
  deferral.held = known.job->held;
  if (!known.job->held) {
    const JobEdit edit(state, *known.job);
    known.job->held = true;
  }
  std::erase(state.cause().arrived, known.id);
  state.core.view.memory.retries.erase(known.id);
  state.cause().disturbed = true;
  recount(state, known.id);
}

void admit_within_limits(ClusterState& state) {
  LimitUses& uses = state.uses;
  for (const std::string& top : std::exchange(uses.look, {}))
    if (const auto waiting = uses.waiting.find(top); waiting != uses.waiting.end())
      admit_below(state, top, std::set<JobId>(waiting->second));
  uses.look.clear();
}

void on(ClusterState& state, const AccountsChanged& event) {
  state.core.accounts = event.accounts;
  count_uses(state);
  std::vector<std::pair<DerivedJob*, Instant>> waiting;
  for (const auto& [id, record] : state.core.records)
    if (DerivedJob* const known = state.derived.find(id); known && known->job)
      waiting.emplace_back(known, known->job->submitted);
  for (const auto& [known, submitted] : waiting) {
    Deferral& deferral = known->record->deferral;
    if (deferral.any() && !deferral.only_limited())
      deferral.limited = is_limited(state, *known->record->submission);
    withdraw(state, *known);
  }
  look_at_all(state.uses);
  admit_within_limits(state);
  // Those that fit below the new limits as well have waited since they came.
  for (const auto& [known, submitted] : waiting) {
    if (known->record->deferral.any() || known->job->submitted == submitted) continue;
    const JobEdit edit(state, *known->job);
    known->job->submitted = submitted;
  }
}

void on(ClusterState& state, const CoreHoursServed& event) {
  state.core.served = event.reached;
  look_at_all(state.uses);
}

}  // namespace aliquot
