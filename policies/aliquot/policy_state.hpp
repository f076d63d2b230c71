// What ALIQUOT remembers from decision to decision, beside the retries.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "policies/model/flat_map.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

// Why a job was paused or moved last. No decision depends on it; it is what explanations tell.
struct Displacement {
  enum class By : std::uint8_t { admission, resumption, rebalancing, repacking };
  By by = By::admission;
  JobId beneficiary;
  // A predicted stretch, in hundredths, without and with the displacement: of the beneficiary when it was
  // admitted or resumed, otherwise the largest of all jobs.
  std::int32_t before = 0;
  std::int32_t after = 0;
  friend bool operator==(const Displacement&, const Displacement&) = default;
};

// A predicted stretch as it is remembered.
[[nodiscard]] std::int32_t hundredths(double stretch);

class AliquotState : public PolicyState {
 public:
  std::int32_t tokens = 0;  // of the bucket: moves and pauses that may still be made
  Instant last_rebalance;
  bool rebalance_deferred = false;  // one was due sooner than the interval allows
  Instant last_repack;
  FlatMap<JobId, Instant> stalled_until;  // penalties that were decided, but that no view has told yet
  FlatMap<JobId, Displacement> displaced;

  // What the view remembers; a fresh state if it remembers nothing.
  [[nodiscard]] static AliquotState remembered(const ClusterView& view);

  [[nodiscard]] std::string encode() const override;
  // Null: it is no such text.
  [[nodiscard]] static std::shared_ptr<const PolicyState> decode(std::string_view text);

  friend bool operator==(const AliquotState& a, const AliquotState& b) { return a.encode() == b.encode(); }
};

}  // namespace aliquot
