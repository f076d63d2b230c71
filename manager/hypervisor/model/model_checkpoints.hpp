// The checkpoints of a job of the model: how far the job had come at each of them.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "monitor/record/action.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

struct ModelCheckpoint {
  OpId op;  // that wrote it
  std::uint32_t number = 0;
  VirtualTime progress;
  VirtualTime running;
};

class ModelCheckpoints {
 public:
  void begin(const Checkpoint& action, VirtualTime progress, VirtualTime running) {
    std::erase_if(written_, [&](const ModelCheckpoint& one) {
      return std::ranges::find(action.keep, one.number) == action.keep.end();
    });
    under_way_ = ModelCheckpoint{action.op, action.number, progress, running};
  }
  // A VM could not be written.
  void fail(OpId op) {
    if (under_way_ && under_way_->op == op) under_way_.reset();
  }
  // All VMs are written, if none has failed.
  void finish(OpId op) {
    if (!under_way_ || under_way_->op != op) return;
    written_.push_back(*under_way_);
    under_way_.reset();
  }
  // Null: there is no such checkpoint.
  [[nodiscard]] const ModelCheckpoint* find(std::uint32_t number) const {
    const auto at = std::ranges::find(written_, number, &ModelCheckpoint::number);
    return at == written_.end() ? nullptr : &*at;
  }

 private:
  std::vector<ModelCheckpoint> written_;
  std::optional<ModelCheckpoint> under_way_;
};

}  // namespace aliquot
