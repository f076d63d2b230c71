// The contract of the hypervisor port on a real Xen, and what only a real one can show. Runs in a dom0, as
// root: hypervisor_libxl.sh boots one in emulation and starts this program in it.
#include <algorithm>
#include <filesystem>

#include "manager/hypervisor/libxl/device_model.hpp"
#include "manager/hypervisor/libxl/libxl_hypervisor.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "test/integration/hypervisor_disks.hpp"
#include "test/integration/hypervisor_xen_guests.hpp"

namespace aliquot {
namespace {

constexpr char kCluster[] = "contract test";

Spool spool() { return Spool(from_environment("ALIQUOT_TEST_SPOOL", "/spool")); }

LibxlSetup setup() {
  LibxlSetup setup;
  setup.guests = parse_guests(from_environment("ALIQUOT_TEST_GUESTS", "pv")).value();
  setup.guest_dir = from_environment("ALIQUOT_GUEST_DIR", "/guest");
  setup.spool_dir = spool().root();
  setup.cluster = kCluster;
  setup.console_log_dir = from_environment("ALIQUOT_TEST_CONSOLE_LOGS", "/var/log/xen/console");
  return setup;
}

class LibxlUnderTest final : public XenUnderTest {
 public:
  LibxlUnderTest() : XenUnderTest(spool()) {}
  [[nodiscard]] std::string cannot_run() const override {
    if (!std::filesystem::exists("/proc/xen/capabilities")) return "this is no dom0 of a Xen";
    return std::filesystem::exists(setup().guest_dir + "/initrd.img") ? "" : "no guests are here";
  }
  [[nodiscard]] std::uint32_t nodes() const override { return 1; }
  [[nodiscard]] bool migrates() const override { return false; }
  // It writes the parts of one; the manager's side of the agents leads: hypervisor_xen_agents_test.
  [[nodiscard]] bool makes_checkpoints() const override { return false; }
  std::unique_ptr<Hypervisor> start(Hypervisor::Sink sink) override {
    auto opened = LibxlHypervisor::open(setup(), std::move(sink));
    if (!opened) throw std::runtime_error(opened.error().message);
    return std::move(*opened);
  }
};

// The hash-chain guest, in the least memory that it may have. Until it has been saved it runs at a low
// yield: the test recomputes what it does, on a processor that is no faster.
constexpr std::uint32_t kBlocks = 1000;
constexpr ChainShape kShape{kBlocks, XenUnderTest::kSteps};
constexpr Yield kChainYield{100'000};

Submission hash_chain() {
  Submission submission = command({});
  submission.guest_memory = mebibytes(16);
  submission.program = HashChain{kShape.total, kShape.unit};
  return submission;
}

class Libxl : public HypervisorContract {
 protected:
  void TearDown() override {
    HypervisorContract::TearDown();
    if (!small_.empty()) std::system(("umount -l " + small_).c_str());
  }
  // No memory image has room in its directory.
  void submit_with_little_space(Submission submission) {
    submit(std::move(submission));
    const std::string directory = spool().directory(spec_->job);
    std::filesystem::create_directories(directory);
    ASSERT_EQ(std::system(("mount -t tmpfs -o size=8m tmpfs " + directory).c_str()), 0);
    small_ = directory;
  }
  std::string console() const { return text_of(spool().console(spec_->job, 0)); }
  std::vector<TaskEnded> wait_for_end() {
    passes_until([&] { return !log_.all<TaskEnded>().empty(); }, seconds(60));
    return log_.all<TaskEnded>();
  }
  // Creates and releases the hash chain that has been submitted.
  void run_chain() {
    ASSERT_EQ(act(Create{next(), NodeId{0}, kChainYield}), kDone);
    ASSERT_EQ(act(Release{next()}), kDone);
    ASSERT_TRUE(passes_until([&] { return progress() > 2; }, seconds(20))) << console();
  }
  void expect_whole_chain() {
    EXPECT_LT(progress(), kBlocks) << "it was over before it was saved";
    EXPECT_EQ(act(Cap{next(), kFullYield}), kDone);
    const auto ends = wait_for_end();
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_EQ(ends[0].exit_code, 0) << ends[0].note;
    const ChainAudit audit = audit_chain(console(), kShape);
    EXPECT_TRUE(audit.whole(kShape)) << audit.first_fault << "\n" << console();
  }
  std::string name() const { return vm_name({kCluster, spec_->job, 0, spec_->tasks[0].incarnation, 0}); }
  // CPU time used by the VM for each second that passes, in percent.
  double share(Duration span) {
    const Duration before = cpu_time(0);
    const auto start = std::chrono::steady_clock::now();
    backend_->let_pass(span);
    const Duration after = cpu_time(0);
    const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
    return 100 * static_cast<double>((after - before).raw) / passed.count();
  }

 private:
  std::string small_;
};

TEST_P(Libxl, a_command_runs_in_linux_and_its_exit_status_and_output_come_back) {
  submit(command(
      {"sh", "-c", "echo \"task $ALIQUOT_TASK: $1\"; exit 7", "sh", "a <hostile> & 'quoted' word"}));
  ASSERT_EQ(act(Create{next(), NodeId{0}, kFullYield}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  const auto ends = wait_for_end();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].exit_code, 7) << ends[0].note;
  EXPECT_EQ(console(), "task 0: a <hostile> & 'quoted' word\n") << "nothing else, nor of the kernel";
}

TEST_P(Libxl, a_cap_binds_and_is_in_force_again_after_a_restore) {
  run(backend_->endless());
  ASSERT_EQ(act(Cap{next(), {250'000}}), kDone);
  backend_->let_pass(seconds(1));
  const double capped = share(seconds(8));
  EXPECT_GT(capped, 10);
  EXPECT_LT(capped, 32);
  ASSERT_EQ(act(Save{next(), NodeId{0}}), kDone);
  ASSERT_EQ(act(Restore{next(), NodeId{0}, {250'000}}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  backend_->let_pass(seconds(1));
  EXPECT_LT(share(seconds(8)), 32);
}

// Its kernel did not hear libxl's request, or took it and could not act on it, and the save failed after a
// minute.
TEST_P(Libxl, a_vm_is_saved_at_once_after_its_release) {
  submit(backend_->endless());
  ASSERT_EQ(act(Create{next(), NodeId{0}, kFullYield}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  ASSERT_EQ(act(Save{next(), NodeId{0}}), kDone);
  ASSERT_EQ(act(Restore{next(), NodeId{0}, kFullYield}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  EXPECT_TRUE(passes_until([&] { return console().find("MICRO n=3 ") != std::string::npos; }, seconds(60)))
      << console();
}

// At a hundredth of a CPU a guest takes seconds to suspend itself.
TEST_P(Libxl, a_vm_with_the_least_cap_is_saved_without_delay) {
  run(backend_->endless());
  const auto time_of_save = [this] {
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(act(Save{next(), NodeId{0}}), kDone);
    return std::chrono::steady_clock::now() - before;
  };
  const auto uncapped = time_of_save();
  ASSERT_EQ(act(Restore{next(), NodeId{0}, {10'000}}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  backend_->let_pass(seconds(1));
  EXPECT_LT(time_of_save(), 4 * uncapped + std::chrono::seconds(3)) << "a hundredth of a CPU is too little";
}

TEST_P(Libxl, a_paused_vm_whose_save_has_failed_is_paused_again) {
  ASSERT_NO_FATAL_FAILURE(submit_with_little_space(backend_->endless()));
  ASSERT_EQ(act(Create{next(), NodeId{0}, kFullYield}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  EXPECT_TRUE(passes_until([&] { return progress() > 0; }, seconds(60)));
  ASSERT_EQ(act(Suspend{next()}), kDone);
  EXPECT_NE(act(Save{next(), NodeId{0}}), kDone);
  EXPECT_TRUE(passes_until([&] { return look().fact == VmFact::paused; }, seconds(20)));
  EXPECT_EQ(progress_in(seconds(2)), 0);
}

// libxl reports one shutdown of a domain for each watch. A suspension is one, so the end was never
// reported.
TEST_P(Libxl, a_vm_whose_save_has_failed_runs_on_and_its_end_is_reported) {
  ASSERT_NO_FATAL_FAILURE(submit_with_little_space(command({"sh", "-c", "sleep 15; exit 4"})));
  ASSERT_EQ(act(Create{next(), NodeId{0}, kFullYield}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  backend_->let_pass(seconds(3));
  const auto answers = outcomes(Save{next(), NodeId{0}});
  ASSERT_EQ(answers.size(), 1U);
  ASSERT_TRUE(answers[0].error);
  EXPECT_NE(answers[0].error->message.find("No space left"), std::string::npos)
      << answers[0].error->message;
  EXPECT_FALSE(std::filesystem::exists(spool().image_part(spec_->job, 0)));
  const auto ends = wait_for_end();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].exit_code, 4) << ends[0].note;
}

TEST_P(Libxl, a_hash_chain_is_whole_after_it_was_paused_saved_and_restored) {
  if (setup().guests == XenGuests::pv) GTEST_SKIP() << "the hash-chain guest runs in PVH guests only";
  submit(hash_chain());
  ASSERT_NO_FATAL_FAILURE(run_chain());
  ASSERT_EQ(act(Suspend{next()}), kDone);
  EXPECT_EQ(progress_in(seconds(1)), 0);
  ASSERT_EQ(act(Save{next(), NodeId{0}}), kDone) << "while it is paused";
  EXPECT_EQ(look().fact, VmFact::saved);
  ASSERT_EQ(act(Restore{next(), NodeId{0}, kChainYield}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  ASSERT_EQ(act(Save{next(), NodeId{0}}), kDone) << "at once after it was restored";
  ASSERT_EQ(act(Restore{next(), NodeId{0}, kChainYield}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  expect_whole_chain();
}

TEST_P(Libxl, a_hash_chain_whose_save_has_failed_counts_on) {
  if (setup().guests == XenGuests::pv) GTEST_SKIP() << "the hash-chain guest runs in PVH guests only";
  ASSERT_NO_FATAL_FAILURE(submit_with_little_space(hash_chain()));
  ASSERT_NO_FATAL_FAILURE(run_chain());
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(act(Save{next(), NodeId{0}}), kDone);
    EXPECT_EQ(look().fact, VmFact::running);
    EXPECT_GT(progress_in(seconds(2)), 0) << "it hears of the next save as well";
  }
  expect_whole_chain();
}

TEST_P(Libxl, a_hash_chain_is_refused_where_guests_are_paravirtualised) {
  if (setup().guests == XenGuests::pvh) GTEST_SKIP() << "it runs here";
  submit(hash_chain());
  const auto answers = outcomes(Create{next(), NodeId{0}, kFullYield});
  ASSERT_EQ(answers.size(), 1U);
  ASSERT_TRUE(answers[0].error);
  EXPECT_EQ(answers[0].error->kind, ErrorKind::unsupported);
}

TEST_P(Libxl, a_cap_of_nothing_is_refused_because_xen_takes_it_for_no_limit) {
  run(backend_->endless());
  EXPECT_NE(act(Cap{next(), {0}}), kDone);
}

TEST_P(Libxl, a_manager_that_starts_anew_hears_of_the_end_of_a_vm_of_the_one_before) {
  submit(command({"sh", "-c", "sleep 6; exit 5"}));
  ASSERT_EQ(act(Create{next(), NodeId{0}, kFullYield}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  hypervisor_.reset();
  log_.clear();
  hypervisor_ = backend_->start(log_.sink());
  const auto ends = wait_for_end();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].job, spec_->job);
  EXPECT_EQ(ends[0].exit_code, 5) << ends[0].note;
}

TEST_P(Libxl, a_vm_that_ends_while_no_manager_runs_is_found_by_the_next_one) {
  submit(command({"sh", "-c", "exit 6"}));
  ASSERT_EQ(act(Create{next(), NodeId{0}, kFullYield}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  hypervisor_.reset();
  log_.clear();
  backend_->let_pass(seconds(15));
  hypervisor_ = backend_->start(log_.sink());
  const auto ends = wait_for_end();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].exit_code, 6) << ends[0].note;
}

// std::system also shows that the children of the program are left to it.
TEST_P(Libxl, a_vm_that_another_program_destroys_has_ended_without_an_exit_code) {
  run(backend_->endless());
  ASSERT_EQ(std::system(("timeout 30 xl destroy " + name()).c_str()), 0);
  const auto ends = wait_for_end();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_FALSE(ends[0].exit_code);
  EXPECT_NE(ends[0].note.find("destroyed from outside"), std::string::npos) << ends[0].note;
  EXPECT_EQ(look().fact, VmFact::absent);
}

TEST_P(Libxl, a_kernel_that_cannot_be_loaded_fails_its_creation_and_leaves_nothing) {
  const std::string content(64, 'b');
  std::filesystem::create_directories(spool().contents());
  std::ofstream(spool().content(content)) << "no kernel";
  Submission submission = command({});
  submission.program = KernelBoot{"/images/kernel", "", "", content};
  submit(submission);
  EXPECT_NE(act(Create{next(), NodeId{0}, kFullYield}), kDone);
  EXPECT_EQ(look().fact, VmFact::absent);
}

constexpr std::uint16_t kSteps = 200;
constexpr std::uint32_t kLoops = 500'000;  // a step computes longer than it waits for the disk

class LibxlDisks : public Libxl {
 protected:
  void SetUp() override {
    Libxl::SetUp();
    if (IsSkipped()) return;
    const auto facts = dynamic_cast<LibxlHypervisor&>(*hypervisor_).node_facts({0}, seconds(30), false);
    ASSERT_TRUE(facts) << facts.error().message;
    if (facts->hypervisor.find(" hvm") == std::string::npos) GTEST_SKIP() << facts->note;
  }
  std::ptrdiff_t steps() const { return std::ranges::count(console(), '+'); }
  bool goes_on() {
    const std::ptrdiff_t before = steps();
    return passes_until([&] { return steps() > before + 10; }, seconds(120));
  }
};

// Memory, disk and console agree at its end, so nothing was lost or done twice.
TEST_P(LibxlDisks, a_disk_image_boots_is_capped_paused_saved_and_restored) {
  submit(counting_job(spool(), kSteps, kLoops));
  ASSERT_EQ(act(Create{next(), NodeId{0}, kFullYield}), kDone);
  EXPECT_EQ(look().fact, VmFact::paused);
  ASSERT_EQ(act(Release{next()}), kDone);
  ASSERT_TRUE(goes_on()) << console();

  EXPECT_GT(share(seconds(4)), 25);
  ASSERT_EQ(act(Cap{next(), {100'000}}), kDone);
  backend_->let_pass(seconds(1));
  EXPECT_LT(share(seconds(8)), 15);
  ASSERT_EQ(act(Suspend{next()}), kDone);
  backend_->let_pass(seconds(1));
  const std::ptrdiff_t paused_at = steps();
  backend_->let_pass(seconds(3));
  EXPECT_EQ(steps(), paused_at);

  // First of a paused VM, then of one that runs.
  for (const Yield yield : {Yield{250'000}, kFullYield}) {
    ASSERT_EQ(act(Save{next(), NodeId{0}}), kDone);
    EXPECT_EQ(look().fact, VmFact::saved);
    const std::ptrdiff_t saved_at = steps();
    ASSERT_EQ(act(Restore{next(), NodeId{0}, yield}), kDone);
    EXPECT_EQ(look().fact, VmFact::paused);
    EXPECT_GE(steps(), saved_at) << "the console was cut";
    ASSERT_EQ(act(Release{next()}), kDone);
    ASSERT_TRUE(goes_on()) << console();
  }

  passes_until([&] { return !log_.all<TaskEnded>().empty(); }, seconds(300));
  const auto ends = wait_for_end();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].exit_code, 4) << ends[0].note;
  EXPECT_EQ(steps(), kSteps);
  EXPECT_EQ(look().fact, VmFact::ended);
  EXPECT_TRUE(std::filesystem::exists(spool().overlay(spec_->job, 0)));
  hypervisor_->forget(spec_->job);
  EXPECT_FALSE(std::filesystem::exists(spool().overlay(spec_->job, 0)));
}

TEST_P(LibxlDisks, a_vm_with_a_disk_is_saved_before_it_has_run_and_destroyed_at_any_time) {
  submit(counting_job(spool(), kSteps, kLoops));
  ASSERT_EQ(act(Create{next(), NodeId{0}, kFullYield}), kDone);
  ASSERT_EQ(act(Save{next(), NodeId{0}}), kDone);
  EXPECT_EQ(look().fact, VmFact::saved);
  ASSERT_EQ(act(Restore{next(), NodeId{0}, kFullYield}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  ASSERT_TRUE(goes_on()) << console();
  ASSERT_EQ(act(Destroy{next(), NodeId{0}}), kDone);
  EXPECT_EQ(look().fact, VmFact::absent);
}

TEST_P(LibxlDisks, without_qemu_the_creation_is_unsupported_and_says_why) {
  const auto model = device_model();
  ASSERT_TRUE(model) << model.error().message;
  std::filesystem::rename(*model, *model + ".away");
  submit(counting_job(spool(), kSteps, kLoops));
  const auto answers = outcomes(Create{next(), NodeId{0}, kFullYield});
  std::filesystem::rename(*model + ".away", *model);
  ASSERT_EQ(answers.size(), 1U);
  ASSERT_TRUE(answers[0].error);
  EXPECT_EQ(answers[0].error->kind, ErrorKind::unsupported);
  EXPECT_NE(answers[0].error->message.find("qemu-system-xen"), std::string::npos)
      << answers[0].error->message;
  EXPECT_EQ(look().fact, VmFact::absent);
}

TEST_P(Libxl, what_it_does_not_do_yet_is_answered_as_unsupported) {
  run(backend_->endless());
  for (const Action& action :
       {Action(Migrate{next(), NodeId{0}, NodeId{0}}), Action(Checkpoint{next(), 1})}) {
    const auto answers = outcomes(action);
    ASSERT_EQ(answers.size(), 1U);
    ASSERT_TRUE(answers[0].error);
    EXPECT_EQ(answers[0].error->kind, ErrorKind::unsupported);
  }
  EXPECT_EQ(look().fact, VmFact::running);
}

std::unique_ptr<BackendUnderTest> libxl_backend() { return std::make_unique<LibxlUnderTest>(); }

INSTANTIATE_TEST_SUITE_P(Xen, HypervisorContract, testing::Values(BackendFactory(libxl_backend)));
INSTANTIATE_TEST_SUITE_P(Xen, Libxl, testing::Values(BackendFactory(libxl_backend)));
INSTANTIATE_TEST_SUITE_P(Xen, LibxlDisks, testing::Values(BackendFactory(libxl_backend)));

}  // namespace
}  // namespace aliquot
