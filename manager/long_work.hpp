// A piece of the loop's work that may take long and only reads what the loop owns: a decision, whose policy
// is pure, and what the chronicle makes of it. If it took long the last time, it is done in a thread of its
// own, and the loop does something else meanwhile, which must not change what the work reads: it answers
// requests. What is short costs less where it is.
#pragma once

#include <functional>
#include <utility>

#include "policies/model/time.hpp"

namespace aliquot {

class LongWork {
 public:
  // `meanwhile` is called again and again, in the thread of the loop, while the work is done.
  explicit LongWork(std::function<void()> meanwhile) : meanwhile_(std::move(meanwhile)) {}

  // Returns when the work is done; what it throws is thrown here.
  void run(const std::function<void()>& work);

 private:
  std::function<void()> meanwhile_;
  Duration last_took_;
};

}  // namespace aliquot
