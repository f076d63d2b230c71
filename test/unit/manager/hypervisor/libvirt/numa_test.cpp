// The NUMA cells of a node, as libvirt describes them, and the binding of VMs to them.

#include "manager/hypervisor/libvirt/numa.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

// Two sockets, as libvirt 9.0 tells them, shortened.
constexpr char kCapabilities[] = R"(<capabilities>
  <host>
    <uuid>8f0d3c1e-0000-4000-8000-000000000001</uuid>
    <topology>
      <cells num='2'>
        <cell id='1'>
          <memory unit='KiB'>33554432</memory>
          <pages unit='KiB' size='4'>8388608</pages>
          <distances><sibling id='0' value='21'/><sibling id='1' value='10'/></distances>
          <cpus num='4'>
            <cpu id='2' socket_id='1' core_id='0' siblings='2,6'/>
            <cpu id='3' socket_id='1' core_id='1' siblings='3,7'/>
            <cpu id='6' socket_id='1' core_id='0' siblings='2,6'/>
            <cpu id='7' socket_id='1' core_id='1' siblings='3,7'/>
          </cpus>
        </cell>
        <cell id='0'>
          <memory unit='KiB'>16777216</memory>
          <cpus num='2'><cpu id='1'/><cpu id='0'/></cpus>
        </cell>
      </cells>
    </topology>
  </host>
</capabilities>)";

constexpr char kDomain[] = R"(<domain type='kvm'>
  <name>aliquot-1.0-1</name>
  <memory unit='KiB'>98304</memory>
  <vcpu placement='static'>2</vcpu>
  <cputune><period>100000</period></cputune>
</domain>
)";

std::vector<NumaCell> two_cells() { return parse_cells(kCapabilities); }

std::optional<std::uint32_t> chosen(const CellLoads& loads, std::uint32_t vcpus, Memory memory) {
  const auto cell = cell_for(two_cells(), loads, vcpus, memory);
  return cell ? std::optional(cell->id) : std::nullopt;
}

TEST(NumaCells, AreReadFromWhatLibvirtSaysOfTheHost) {
  const std::vector<NumaCell> expected{{0, "0-1", 2, mebibytes(16 << 10)},
                                       {1, "2-3,6-7", 4, mebibytes(32 << 10)}};
  EXPECT_EQ(two_cells(), expected);
  EXPECT_TRUE(parse_cells("<capabilities><host/></capabilities>").empty());
  EXPECT_TRUE(parse_cells("no XML").empty());
}

TEST(NumaCells, AListOfCpusIsWrittenShort) {
  EXPECT_EQ(cpu_list({}), "");
  EXPECT_EQ(cpu_list({5}), "5");
  EXPECT_EQ(cpu_list({8, 0, 2, 1, 9}), "0-2,8-9");
}

TEST(NumaCells, AVmStandsWhereMostCpusAreLeft) {
  EXPECT_EQ(chosen({}, 1, mebibytes(1)), 1U);
  EXPECT_EQ(chosen({{1, {1, 3, mebibytes(1)}}}, 1, mebibytes(1)), 0U);
  // As many CPUs are left of both: the one with more memory left.
  EXPECT_EQ(chosen({{1, {1, 2, mebibytes(1)}}}, 1, mebibytes(1)), 1U);
  EXPECT_EQ(chosen({{1, {1, 2, mebibytes(20 << 10)}}}, 1, mebibytes(1)), 0U);
}

TEST(NumaCells, AVmStandsInACellAsAWholeOrInNone) {
  EXPECT_EQ(chosen({}, 4, mebibytes(32 << 10)), 1U);
  EXPECT_EQ(chosen({}, 5, mebibytes(1)), std::nullopt);
  EXPECT_EQ(chosen({}, 1, Memory{mebibytes(32 << 10).raw + 1}), std::nullopt);
  EXPECT_EQ(chosen({{0, {2, 2, mebibytes(1)}}, {1, {4, 4, mebibytes(1)}}}, 1, mebibytes(1)), std::nullopt);
  EXPECT_EQ(chosen({{1, {1, 1, mebibytes(31 << 10)}}}, 2, mebibytes(2 << 10)), 0U);
}

TEST(NumaCells, NothingIsBoundOnANodeWithOneCell) {
  EXPECT_EQ(cell_for({two_cells().front()}, {}, 1, mebibytes(1)), std::nullopt);
}

TEST(NumaBinding, IsPartOfTheDefinition) {
  const auto memory = bound_to(kDomain, two_cells()[1], false);
  ASSERT_TRUE(memory) << memory.error().message;
  EXPECT_TRUE(is_bound(*memory));
  EXPECT_NE(memory->find(R"(<numatune><memory mode="preferred" nodeset="1"/></numatune>)"),
            std::string::npos)
      << *memory;
  EXPECT_EQ(memory->find("cpuset"), std::string::npos);
  const auto cells = bound_to(kDomain, two_cells()[1], true);
  ASSERT_TRUE(cells);
  EXPECT_NE(cells->find(R"(<vcpu placement="static" cpuset="2-3,6-7">2</vcpu>)"), std::string::npos)
      << *cells;
}

TEST(NumaBinding, OfAnotherNodeIsReplaced) {
  const std::string before = bound_to(kDomain, two_cells()[1], true).value();
  const std::string after = bound_to(before, two_cells()[0], true).value();
  EXPECT_EQ(after, bound_to(kDomain, two_cells()[0], true).value());
  const std::string none = bound_to(before, std::nullopt, true).value();
  EXPECT_FALSE(is_bound(none));
  EXPECT_EQ(none.find("cpuset"), std::string::npos);
}

TEST(NumaBinding, ADefinitionThatIsNotUnderstoodIsAnError) {
  EXPECT_FALSE(bound_to("<domain/>", two_cells()[0], true));
  EXPECT_FALSE(bound_to("", std::nullopt, true));
}

TEST(NumaBinding, HasItsWordsInTheSettings) {
  EXPECT_EQ(numa_binding("off"), NumaBinding::off);
  EXPECT_EQ(numa_binding("memory"), NumaBinding::memory);
  EXPECT_EQ(numa_binding("cells"), NumaBinding::cells);
}

}  // namespace
}  // namespace aliquot
