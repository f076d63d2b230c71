// Actions when none takes time and none can fail, which is how most simulations run: begun and ended in
// one, and made to all VMs of a job at once where they are alike. The result is that of TimedActions.
#pragma once

#include "manager/hypervisor/model/model_state.hpp"

namespace aliquot::model {

class ImmediateActions {
 public:
  explicit ImmediateActions(ModelState& state) : state_(state) {}

  void perform(ModelJob& job, const Action& action);
  // All tasks of the job end now, in one event. False: they must be ended one by one.
  bool end_all(ModelJob& job, int exit_code);

 private:
  void perform_one(ModelJob& job, std::uint32_t task, const Action& action);
  // All tasks of the job, whose VMs are alike.
  [[nodiscard]] bool can_perform_all(ModelJob& job, const Action& action) const;
  void perform_all(ModelJob& job, const Action& action);
  // Migrations to which the checker has no objection.
  [[nodiscard]] bool can_move(const ModelJob& job, const Migrate& migrate) const;
  void move(ModelJob& job, const Migrate& migrate, const Action& action);

  ModelState& state_;
};

}  // namespace aliquot::model
