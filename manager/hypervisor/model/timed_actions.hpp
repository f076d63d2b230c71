// Actions that take time and may fail: begun now, ended now or later, by a fate that is drawn from the seed
// when they begin.
#pragma once

#include "manager/hypervisor/model/model_state.hpp"

namespace aliquot::model {

class TimedActions {
 public:
  explicit TimedActions(ModelState& state) : state_(state) {}

  void begin(ModelJob& job, const Action& action);
  void end(const ActionEnd& end);
  // The action that is aborted fails at once, and its VM is as it was before.
  void abort(const Abort& abort);

 private:
  [[nodiscard]] Fate draw_fate(const Begun& what, const ModelVm& vm, Memory memory,
                               std::uint32_t task) const;
  // The fate of an action that ends now: its node may have gone in the meantime.
  [[nodiscard]] Fate fate_now(const ActionEnd& end, const ModelVm& vm) const;
  [[nodiscard]] bool touches_unreachable(const Begun& what, const ModelVm& vm) const;
  void begin_one(ModelJob& job, std::uint32_t task, const Action& action);
  void draw_crash(const ModelJob& job, std::uint32_t task, OpId op);

  ModelState& state_;
};

}  // namespace aliquot::model
