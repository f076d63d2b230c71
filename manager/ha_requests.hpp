// What several managers of a cluster are asked of themselves (docs/high-availability.md): which one leads
// and how etcd is, which the leader and standbys answer, and that the leader steps down.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "config/settings.hpp"
#include "manager/api/wire/request.hpp"
#include "manager/background_tasks.hpp"
#include "manager/ha/etcd_messages.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// All null: this manager is the only one.
struct HaRequests {
  // Bodies of answers. They ask etcd, which takes seconds if members do not answer: not on a loop.
  std::function<Result<std::string>()> status;
  std::function<Result<std::string>()> may_step_down;
  // The manager ends as it does when it is asked to, and another one leads.
  std::function<void()> step_down;
  // Its metrics as one of several, in the text format; quick, any thread.
  std::function<std::string()> metrics;
};

template <class R>
concept HaRequest = std::is_same_v<R, HaStatus> || std::is_same_v<R, HaStepDown>;

// Answered later, on the loop's thread.
using HaAnswer = std::function<void(Result<std::string>)>;
void answer_of_managers(const HaRequests& ha, const HaStatus& request, BackgroundTasks& tasks,
                        HaAnswer answer);
void answer_of_managers(const HaRequests& ha, const HaStepDown& request, BackgroundTasks& tasks,
                        HaAnswer answer);

// How each member of etcd is, by what each says of itself.
[[nodiscard]] std::vector<Result<ha::MemberStatus>> ask_members(const Settings& settings);
[[nodiscard]] Result<std::string> ha_status(const Settings& settings);
// ErrorKind::conflict: no other manager stands by.
[[nodiscard]] Result<std::string> may_step_down(const Settings& settings);

}  // namespace aliquot
