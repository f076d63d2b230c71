// Keeps the knowledge base of moldable jobs: teaches it what finished runs say, stores it, and answers the
// requests about it.
//
// A run teaches if its job names an application, completed, and had one number of tasks from its beginning
// to its end. It counts with its virtual time, which is the run time of the job as if alone, so that runs
// on full and on empty clusters can be compared; and with the memory that its user gave to each task.
//
// Each change is handed to `keep` as a text. A run that ended just before the manager died may be missing:
// nothing depends on it, and a replay of the store does not need it. A stored text that cannot be read is
// set aside with a line of the log, and learning begins anew. Belongs to the loop.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "manager/api/wire/request.hpp"
#include "manager/core/state.hpp"
#include "monitor/observer.hpp"
#include "policies/moldable/knowledge.hpp"

namespace aliquot {

class KnowledgeKeeper final : public Observer {
 public:
  struct Parts {
    const CoreState& state;  // when the manager starts: which jobs have changed their size already
    std::size_t entries = 1;
    std::function<void(const std::string& line)> warn;
    std::function<void(std::string text)> keep;
  };
  // `kept`: the text that was kept last; empty: none.
  KnowledgeKeeper(Parts parts, const std::string& kept);

  void on_step(const Step& step, const ClusterView& after) override;
  void on_durable(const Step& step) override;

  [[nodiscard]] moldable::KnowledgeBase& base() { return base_; }

  // JSON bodies. An import takes in all lines or none, each as if it were a finished run.
  [[nodiscard]] Result<std::string> on(const KnowledgeList& request) const;
  [[nodiscard]] Result<std::string> on(const KnowledgeExport& request) const;
  [[nodiscard]] Result<std::string> on(const KnowledgeImport& request);
  [[nodiscard]] Result<std::string> on(const KnowledgeForget& request);

 private:
  [[nodiscard]] bool teaches(const JobOutcome& outcome) const;
  void keep() { parts_.keep(base_.export_csv()); }

  Parts parts_;
  moldable::KnowledgeBase base_;
  std::set<JobId> resized_;  // of the jobs that have not ended: their number of tasks has changed
};

// A request that is answered here.
template <class R>
concept KnowledgeRequest = requires(KnowledgeKeeper& keeper, const R& request) {
  keeper.on(request);
};
// It changes what is kept.
template <class R>
concept KnowledgeChange =
    KnowledgeRequest<R> && !requires(const KnowledgeKeeper& keeper, const R& request) {
  keeper.on(request);
};

}  // namespace aliquot
