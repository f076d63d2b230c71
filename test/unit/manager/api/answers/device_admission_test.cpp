// Jobs that ask for devices or a spread, from the wire to the one clear reason why not.
#include <gtest/gtest.h>

#include "manager/api/answers/admission.hpp"
#include "manager/api/wire/protocol.hpp"
#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

const std::vector<std::string> kModels{"V100", "T4"};

// Two nodes of 8 cores with two V100, one with a T4, one with nothing.
std::vector<Node> nodes() {
  std::vector<Node> made;
  for (std::uint32_t n = 0; n < 4; ++n) made.push_back(test::node(n, 8, 8000));
  made[0].devices = made[1].devices = {{{0}}, {{0}}};
  made[2].devices = {{{1}}};
  return made;
}

Submit asks(std::uint32_t tasks, DeviceDemand devices, Spread spread = {}) {
  Submit s;
  s.submission = test::submission(tasks, 1000, 128);
  s.submission.program = HashChain{1, 1};
  s.submission.demand.devices = devices;
  s.submission.demand.spread = spread;
  s.submission.demand.movable = !devices.any();
  if (devices.any()) s.submission.demand.min_yield = kFullYield;
  return s;
}

std::string answer(const Submit& asked) {
  AdmissionRules rules;
  rules.limits.max_jobs = 10;
  rules.limits.max_tasks = 1000;
  rules.max_archive = mebibytes(8);
  const auto admitted = admit(asked, nodes(), 0, rules, kModels);
  return admitted ? "taken" : admitted.error().message;
}

TEST(DeviceAdmission, takes_what_the_empty_cluster_could_hold) {
  EXPECT_EQ(answer(asks(8, {2, kWholeDevice, DeviceModel{0}}, {1, 4})), "taken");
  EXPECT_EQ(answer(asks(16, {2, kWholeDevice, DeviceModel{0}}, {2, 2, 8, true})), "taken");
  EXPECT_EQ(answer(asks(1, {1, 250, kAnyModel})), "taken");
  EXPECT_EQ(answer(asks(4, {}, {4, 4, 1})), "taken");
}

TEST(DeviceAdmission, refuses_the_infeasible_the_contradictory_and_the_hostile_with_one_reason) {
  EXPECT_EQ(answer(asks(4, {3, kWholeDevice, DeviceModel{0}})),
            "the job asks for 3 V100 on each node; the cluster has 2 V100 on each of 2 nodes, 1 T4 on node "
            "n2");
  EXPECT_EQ(answer(asks(4, {}, {3, 2})), "the job asks for at least 3 nodes and at most 2");
  EXPECT_EQ(
      answer(asks(9, {}, {5})),
      "the job asks for 9 tasks on at least 5 nodes; even empty, 4 nodes would do, for 36 tasks in all");
  EXPECT_EQ(answer(asks(17, {2, kWholeDevice, DeviceModel{0}})).substr(0, 44),
            "the job asks for 17 tasks, with 2 V100 on ea");
  EXPECT_EQ(answer(asks(2, {4, 100})),
            "the job asks for a slice of each of 4 devices; a slice is of one device: ask for one, or for "
            "whole devices");
  EXPECT_EQ(answer(asks(2, {0, kWholeDevice, DeviceModel{1}})),
            "the job names a model of a device and asks for no device");
  EXPECT_EQ(answer(asks(2, {10'000})),
            "the job asks for 10000 devices on each node; a node has at most 64");
  Submit idle = asks(1, {1});
  idle.submission.demand.need = {0};
  EXPECT_EQ(answer(idle), "a task needs no CPU; give --cpus above 0");
  Submit huge = asks(1, {1});
  huge.submission.demand.need = cores(1'000'000);
  EXPECT_NE(answer(huge).find("a task needs 1000000 cores; the largest node"), std::string::npos);
  EXPECT_NE(answer(asks(1'000'000, {1})).find("at most 1000 are taken"), std::string::npos);
}

TEST(DeviceAdmission, knows_models_by_their_names) {
  EXPECT_TRUE(device_models("", nodes(), kModels)->empty());
  EXPECT_EQ(*device_models("T4", nodes(), kModels), DeviceModel{1});
  const auto unknown = device_models("K80", nodes(), kModels);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(unknown.error().message,
            "the cluster has no device `K80`; it has 2 V100 on each of 2 nodes, 1 T4 on node n2");
  EXPECT_EQ(device_models("T4|K80", nodes(), kModels).error().message, unknown.error().message);
  DeviceModels either = DeviceModel{0};
  either.add({1});
  EXPECT_EQ(*device_models("T4|V100", nodes(), kModels), either);
  EXPECT_EQ(device_models("T4|", nodes(), kModels).error().message,
            "gpu_model `T4|`: a name is missing beside '|'; write A, or A|B");
  EXPECT_EQ(device_models("K80", {}, {}).error().message,
            "the cluster has no device `K80`; it has no devices");
}

TEST(DeviceAdmission, the_wire_carries_what_is_asked_for) {
  Submit asked = asks(8, {1, 250}, {2, 4, 2, true});
  asked.submission.demand.priority = -5;
  asked.submission.demand.hypervisor = HypervisorKind::xen;
  asked.submission.demand.min_yield = {600'000};
  asked.gpu_model = "V100|T4";
  RequestHeader header;
  header.id = "1";
  const auto back = decode_request(encode_request(header, asked));
  ASSERT_TRUE(back) << back.error().error.message;
  const auto& got = std::get<Submit>(back->request);
  EXPECT_EQ(got.submission.demand, asked.submission.demand);
  EXPECT_EQ(got.gpu_model, "V100|T4");
}

std::optional<Submit> from_wire(const std::string& more) {
  const Frames frames{
      "ALIQUOT/1", R"({"id":"1","method":"submit"})",
      R"({"cpu_microcores":1,"memory_bytes":1048576,"program":{"kind":"image","image":"/x"})" + more + "}"};
  const auto back = decode_request(frames);
  if (!back) return std::nullopt;
  return std::get<Submit>(back->request);
}

TEST(DeviceAdmission, who_holds_a_device_stays_and_has_all_its_cpu_unless_it_says_otherwise) {
  const auto plain = from_wire(R"(,"gpus":2)");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->submission.demand.movable);
  EXPECT_EQ(plain->submission.demand.min_yield, kFullYield);
  EXPECT_EQ(from_wire(R"(,"gpus":2,"min_yield_ppm":0)")->submission.demand.min_yield, Yield{0});
  EXPECT_TRUE(from_wire(R"(,"nodes_min":2)")->submission.demand.movable);
  EXPECT_FALSE(from_wire(R"(,"gpus":-1)"));
  EXPECT_FALSE(from_wire(R"(,"gpus":1.5)"));
  EXPECT_FALSE(from_wire(R"(,"gpu_parts":1001)"));
  EXPECT_FALSE(from_wire(R"(,"contiguous":1)"));
  EXPECT_FALSE(from_wire(R"(,"gpu_modell":"V100")"));
}

}  // namespace
}  // namespace aliquot
