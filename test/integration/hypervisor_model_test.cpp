// The contract of the hypervisor port on the model: the simulator's backend owes what the real one owes.
#include <map>

#include "manager/hypervisor/model/model_hypervisor.hpp"
#include "test/integration/hypervisor_contract.hpp"
#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

// A century: longer than any test looks.
constexpr Duration kEndless = seconds(100LL * 366 * 86'400);

// The model with its agenda driven from outside and its events handed to a sink, as a live backend does.
class DrivenModel final : public Hypervisor {
 public:
  DrivenModel(ModelHypervisor& model, Sink sink) : model_(model), sink_(std::move(sink)) {}
  void perform(const Action& action, std::shared_ptr<const JobSpec> spec) override {
    model_.perform(action, std::move(spec));
  }
  void inspect(std::vector<VmQuery> queries) override { model_.inspect(std::move(queries)); }
  void sample(NodeId node, SampleSink done) override { model_.sample(node, std::move(done)); }
  void forget(JobId job) override { model_.forget(job); }
  void tell(std::vector<Event> events) {
    for (Event& event : events) sink_(std::move(event));
  }

 private:
  ModelHypervisor& model_;
  Sink sink_;
};

class ModelBackend final : public BackendUnderTest {
 public:
  explicit ModelBackend(ModelOptions options)
      : model_({test::node(0, 4, 4000), test::node(1, 4, 4000)}, std::move(options)) {}

  [[nodiscard]] std::string cannot_run() const override { return {}; }
  std::unique_ptr<Hypervisor> start(Hypervisor::Sink sink) override {
    auto driven = std::make_unique<DrivenModel>(model_, std::move(sink));
    driven_ = driven.get();
    return driven;
  }
  void let_pass(Duration span) override {
    now_ = now_ + span;
    driven_->tell(model_.take_due(now_));
  }
  [[nodiscard]] Submission endless() const override { return work(kEndless); }
  [[nodiscard]] Submission ending(Duration alone) const override { return work(alone); }
  // The CPU time used: what the model knows of a task's work. A saved VM is on no node and does none.
  std::int64_t progress(Hypervisor& hypervisor, JobId job, std::uint32_t task) override {
    for (const NodeId node : {NodeId{0}, NodeId{1}})
      hypervisor.sample(node, [&](NodeId, const std::vector<VmSample>& samples) {
        for (const VmSample& one : samples) used_[{one.job, one.task}] = one.cpu;
      });
    return used_[{job, task}].raw;
  }
  // What the conformance checker finds, except the misuses that the contract commits on purpose.
  [[nodiscard]] std::string fault(JobId, std::uint32_t) const override {
    for (const std::string& fault : model_.checker().violations())
      if (fault.find("the VM is absent") == std::string::npos &&
          fault.find("there is no checkpoint 1") == std::string::npos)
        return fault;
    return {};
  }
  [[nodiscard]] bool outlives_its_manager() const override { return false; }
  [[nodiscard]] double least_speedup() const override { return 4.99; }

 private:
  static Submission work(Duration alone) {
    Submission made = test::submission(1, 1000, 100);
    made.program = ModelWork{alone, 0};
    return made;
  }

  ModelHypervisor model_;
  DrivenModel* driven_ = nullptr;
  Instant now_;
  std::map<std::pair<JobId, std::uint32_t>, Duration> used_;
};

std::unique_ptr<BackendUnderTest> at_once() { return std::make_unique<ModelBackend>(ModelOptions{}); }

std::unique_ptr<BackendUnderTest> with_delays() {
  ModelOptions options;
  options.delay.fill(Duration{400'000});
  options.jitter = Duration{100'000};
  return std::make_unique<ModelBackend>(std::move(options));
}

INSTANTIATE_TEST_SUITE_P(Model, HypervisorContract,
                         testing::Values(BackendFactory(at_once), BackendFactory(with_delays)));

}  // namespace
}  // namespace aliquot
