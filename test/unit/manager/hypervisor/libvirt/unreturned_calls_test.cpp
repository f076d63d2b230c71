// What an inspection says of a VM that a call may still create. The node is libvirt's driver for tests,
// which lives in this process; a creation takes as long as the test wants, because the disk image whose
// checksum it compares first has a terabyte of zeros until it is cut.
#include "manager/hypervisor/libvirt/unreturned_calls.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <thread>

#include "manager/hypervisor/libvirt/libvirt_hypervisor.hpp"
#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

constexpr NodeId kNode{0};
const std::string kSum(64, 'a');
const Uuid kVm = vm_uuid({"c", {4}, 0, 1});
const Uuid kOther = vm_uuid({"c", {4}, 0, 2});

TEST(UnreturnedCalls, know_a_vm_until_the_last_call_about_it_has_returned) {
  const auto calls = UnreturnedCalls::make();
  const auto first = calls->begin(kVm);
  auto second = calls->begin(kVm);
  EXPECT_TRUE(calls->any_for(kVm));
  EXPECT_FALSE(calls->any_for(kOther));
  first->has_returned();
  first->has_returned();
  EXPECT_TRUE(calls->any_for(kVm)) << "a call returns once";
  second.reset();
  EXPECT_FALSE(calls->any_for(kVm)) << "a call that was withdrawn";
}

// A node on which a creation ends when it is let go.
class SlowCreation : public testing::Test {
 protected:
  SlowCreation() {
    fs::create_directories(fs::path(image_).parent_path());
    std::ofstream(image_).close();
    fs::resize_file(image_, std::uintmax_t{1} << 40);
  }
  ~SlowCreation() override {
    let_go();
    fs::remove_all(root_);
  }

  [[nodiscard]] std::unique_ptr<LibvirtHypervisor> backend() {
    LibvirtSetup setup;
    setup.hypervisor.acceleration = "emulation";
    setup.hypervisor.long_deadline = Duration{300'000};
    setup.nodes.resize(1);
    setup.nodes[0].name = "n";
    setup.nodes[0].uri = "test:///default";
    setup.spool_dir = root_;
    setup.cluster = "c";
    setup.calls = calls_;
    const std::size_t before = all<NodeChanged>().size();
    auto made = std::make_unique<LibvirtHypervisor>(std::move(setup), [this](Event event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    });
    wait([&] { return all<NodeChanged>().size() > before; });
    return made;
  }
  template <class T>
  [[nodiscard]] std::vector<T> all() {
    const std::lock_guard lock(mutex_);
    std::vector<T> found;
    for (const Event& event : events_)
      if (const T* one = std::get_if<T>(&event)) found.push_back(*one);
    return found;
  }
  static void wait(const std::function<bool()>& until) {
    for (int i = 0; i < 1000 && !until(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(until());
  }
  // Returns when the call is under way: one that still waits in its queue ends with the backend.
  void create(LibvirtHypervisor& backend) const {
    auto spec = std::make_shared<JobSpec>();
    spec->job = {4};
    Submission submission = test::submission(1, 1000, 100);
    submission.program = ImageBoot{"zeros", kSum};
    spec->submission = submission;
    spec->tasks.push_back({1, kNode, false, 1, 0});
    backend.perform(Create{{OpId{9}, JobId{4}, {0, 1}}, kNode, kFullYield}, spec);
    wait([this] { return reads_the_image(); });
  }
  [[nodiscard]] bool reads_the_image() const {
    const auto descriptors = fs::directory_iterator("/proc/self/fd");
    return std::any_of(begin(descriptors), end(descriptors), [this](const fs::directory_entry& one) {
      std::error_code closed_meanwhile;
      return fs::read_symlink(one.path(), closed_meanwhile) == image_;
    });
  }
  [[nodiscard]] VmFact inspected(LibvirtHypervisor& backend) {
    const std::size_t before = all<Inspected>().size();
    backend.inspect({{JobId{4}, 0, 1, {kNode}, true}});
    wait([&] { return all<Inspected>().size() > before; });
    return all<Inspected>().back().fact;
  }
  void let_go() const { fs::resize_file(image_, 0); }

  const fs::path root_ = fs::temp_directory_path() / ("aliquot-slow-" + std::to_string(::getpid()));
  const std::string image_ = Spool(root_).content(kSum);
  const std::shared_ptr<UnreturnedCalls> calls_ = UnreturnedCalls::make();
  std::mutex mutex_;
  std::vector<Event> events_;
};

// The manager would create the VM under its next incarnation, and both would run.
TEST_F(SlowCreation, keeps_its_vm_from_being_called_absent) {
  const auto node = backend();
  EXPECT_EQ(inspected(*node), VmFact::absent);
  create(*node);
  EXPECT_EQ(inspected(*node), VmFact::unknown) << "before its deadline";
  wait([&] { return !all<Outcome>().empty(); });
  EXPECT_EQ(all<Outcome>().front().error->kind, ErrorKind::timeout);
  EXPECT_EQ(inspected(*node), VmFact::unknown) << "it missed its deadline, and has not returned";
  let_go();
  wait([&] { return !calls_->any_for(kVm); });
  EXPECT_EQ(inspected(*node), VmFact::absent);
}

// As an agent opens a backend for each session: what the last one began is still under way.
TEST_F(SlowCreation, is_known_to_the_next_backend) {
  {
    const auto earlier = backend();
    create(*earlier);
    EXPECT_EQ(inspected(*earlier), VmFact::unknown);
  }
  const auto node = backend();
  EXPECT_EQ(inspected(*node), VmFact::unknown);
  let_go();
  wait([&] { return !calls_->any_for(kVm); });
  EXPECT_EQ(inspected(*node), VmFact::absent);
}

}  // namespace
}  // namespace aliquot
