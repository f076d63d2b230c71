// The journal of a run, as a manager writes it: a line with the state at the beginning, then every step.
// aliquot-replay decides it anew.
#pragma once

#include <memory>

#include "manager/core/state.hpp"
#include "monitor/observer.hpp"
#include "tools/sim/metrics/text_sink.hpp"

namespace aliquot {

class JournalOut : public Observer {
 public:
  [[nodiscard]] static Result<std::unique_ptr<JournalOut>> create(const std::string& path);

  // Before the first step.
  void begin(const CoreState& state);
  void on_step(const Step& step, const ClusterView& after) override;
  [[nodiscard]] Result<void> close() { return sink_.close(); }

 private:
  explicit JournalOut(TextSink sink) : sink_(std::move(sink)) {}
  TextSink sink_;
};

}  // namespace aliquot
