// For tests: two accounts. "ada" has jobs of every kind; the jobs without an account never ran.
#pragma once

#include "manager/api/answers/account_answers.hpp"

namespace aliquot::test {

inline JobUse account_use(std::int64_t used_s, std::optional<Duration> throttled) {
  JobUse use;
  use.promised = seconds(used_s + 20);
  use.granted = seconds(used_s + 10);
  use.energy = power::watts(200) * seconds(used_s + 10);
  use.runs = {{0, 1, 7, {0}, {}, seconds(used_s), {seconds(used_s), seconds(3), throttled}}};
  use.busy = {seconds(20), seconds(10), seconds(9), seconds(1)};
  return use;
}

inline AccountRows account_rows() {
  JobOutcome ended;
  ended.submitted = {10'000'000};
  ended.started = Instant{10'000'000};
  ended.ended = {70'000'000};  // 60 s of 30: a stretch of 2
  AccountUse past;
  past.add(ended, account_use(100, seconds(1)));
  ended.result = JobResult::failed;
  past.add(ended, account_use(10, std::nullopt));
  AccountRows rows;
  AccountRow& ada = rows["ada"];
  ada.add(past);
  ada.jobs[JobState::running] = 2;
  ada.jobs[JobState::paused] = 1;
  ada.cpu.add(account_use(40, seconds(2)));
  ada.so_far.add(1.5);
  ada.so_far.add(2.5);
  ada.so_far.add(1);
  rows[""].jobs[JobState::pending] = 1;
  rows[""].cpu.add(JobUse{});
  rows[""].so_far.add(4);
  return rows;
}

}  // namespace aliquot::test
