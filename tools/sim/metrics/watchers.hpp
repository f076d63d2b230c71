// Several observers as one.
#pragma once

#include <vector>

#include "monitor/observer.hpp"

namespace aliquot {

class Watchers : public Observer {
 public:
  explicit Watchers(std::vector<Observer*> all) : all_(std::move(all)) {}
  void add(Observer& observer) { all_.push_back(&observer); }
  void on_step(const Step& step, const ClusterView& after) override {
    for (Observer* observer : all_) observer->on_step(step, after);
  }

 private:
  std::vector<Observer*> all_;
};

}  // namespace aliquot
