// Who watches: metrics, journal, log, event stream, the simulator's report. Observers see every step after
// it is durable; they never answer, and what they do never reaches the core.
#pragma once

#include "policies/model/step.hpp"

namespace aliquot {

class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;
  virtual void on_step(const Step& step, const ClusterView& after) = 0;
};

}  // namespace aliquot
