// Keeps what finished runs have taught of run times, and predicts each job when it is accepted.
//
// A run teaches if its job completed and had one number of tasks from its beginning to its end. It counts
// with its virtual time, which is its run time as if alone. What tells jobs apart is their account, user,
// application (of the problem, or else the job's name), number of tasks, and what the user says of the run
// time: the estimate, or else the time limit.
//
// What is learned is handed to `keep` as a text, at most once a minute: the text of a large site has a
// megabyte. Runs of the last minute before the manager dies may be missing; nothing depends on them, and a
// replay of the store does not need them, because a prediction stands in the submission. A stored text that
// cannot be read is set aside with a line of the log, and learning begins anew. Belongs to the loop.
#pragma once

#include <functional>
#include <string>

#include "manager/api/wire/request.hpp"
#include "manager/core/state.hpp"
#include "monitor/observer.hpp"
#include "policies/prediction/run_time_learner.hpp"

namespace aliquot {

class RunTimeKeeper final : public Observer {
 public:
  struct Parts {
    const CoreState& state;  // when the manager starts: the jobs that have not ended
    std::function<void(const std::string& line)> warn;
    std::function<void(std::string text)> keep;
  };
  // `kept`: the text that was kept last; empty: none.
  RunTimeKeeper(const Parts& parts, const std::string& kept);

  void on_durable(const Step& step) override;

  // For Demand::predicted of a job that is being accepted; none: nothing is known.
  [[nodiscard]] std::optional<Duration> predicted(const Submission& job) const;

  // The rest of a job that has not ended, in virtual time, by the runs that have ended until now; none:
  // nothing is known.
  [[nodiscard]] std::optional<prediction::Prediction> rest_of(const Job& job, const Submission& submission,
                                                              Instant now) const;

  [[nodiscard]] const prediction::RunTimeHistory& history() const { return learner_.history(); }

  // JSON bodies. An import takes in the whole text or nothing of it.
  [[nodiscard]] Result<std::string> on(const RunTimesList& request) const;
  [[nodiscard]] Result<std::string> on(const RunTimesExport& request) const;
  [[nodiscard]] Result<std::string> on(const RunTimesImport& request);
  [[nodiscard]] Result<std::string> on(const RunTimesForget& request);

 private:
  void keep(Instant now);

  std::function<void(std::string text)> keep_;
  prediction::RunTimeLearner learner_;
  bool has_learned_ = false;  // since it was kept
  std::optional<Instant> kept_at_;
};

// A request that is answered here.
template <class R>
concept RunTimesRequest = requires(RunTimeKeeper& keeper, const R& request) {
  keeper.on(request);
};
// It changes what is kept.
template <class R>
concept RunTimesChange = RunTimesRequest<R> && !requires(const RunTimeKeeper& keeper, const R& request) {
  keeper.on(request);
};

}  // namespace aliquot
