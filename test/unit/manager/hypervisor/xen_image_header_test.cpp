#include "manager/hypervisor/xen_image_header.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace aliquot {
namespace {

const Uuid kVm = vm_uuid({"cluster", {7}, 0, 1, 0});
const Uuid kOther = vm_uuid({"cluster", {7}, 0, 2, 0});

class XenImageHeader : public testing::Test {
 protected:
  ~XenImageHeader() override { std::filesystem::remove(path_); }
  std::optional<std::string> read(const std::string& content, const Uuid& vm = kVm) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << content;
    return guests_in_xen_image(path_, vm);
  }
  const std::string path_ =
      std::filesystem::temp_directory_path() / ("aliquot-header-" + std::to_string(::getpid()));
};

TEST_F(XenImageHeader, names_the_vm_and_its_kind_of_guest) {
  EXPECT_EQ(read(xen_image_header(kVm, "pvh") + "stream"), "pvh");
  EXPECT_EQ(read(xen_image_header(kVm, "hvm"), kOther), std::nullopt) << "of another incarnation";
}

TEST_F(XenImageHeader, of_another_file_is_none) {
  EXPECT_EQ(read(""), std::nullopt);
  EXPECT_EQ(read(xen_image_header(kVm, "pv").substr(0, 100)), std::nullopt) << "cut short";
  EXPECT_EQ(read("LibvirtQemudSave" + std::string(1000, '\0')), std::nullopt);
  EXPECT_EQ(read(xen_image_header(kVm, std::string(600, 'x')).substr(0, 512)), std::nullopt);
}

}  // namespace
}  // namespace aliquot
