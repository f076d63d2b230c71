#include "manager/hypervisor/libxl/xen_image.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace aliquot {
namespace {

namespace fs = std::filesystem;

class XenImage : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(spool_.directory(kJob)); }
  void TearDown() override { fs::remove_all(spool_.root()); }
  // What libxl would append.
  void write(const std::string& stream, XenGuests guests = XenGuests::pvh) {
    auto image = ImageWriter::begin(spool_.image_part(kJob, 0), kVm, guests);
    ASSERT_TRUE(image) << image.error().message;
    image_ = std::move(*image);
    ASSERT_EQ(::write(image_->stream(), stream.data(), stream.size()), static_cast<ssize_t>(stream.size()));
  }

  static constexpr JobId kJob{7};
  const Uuid kVm = vm_uuid({"c", kJob, 0, 1, 0});
  const Uuid kOther = vm_uuid({"c", kJob, 0, 2, 0});
  const Spool spool_{
      (fs::temp_directory_path() / ("aliquot-xen-image-" + std::to_string(::getpid()))).string()};
  std::unique_ptr<ImageWriter> image_;
};

TEST_F(XenImage, is_there_only_when_it_is_complete) {
  write("stream");
  EXPECT_FALSE(is_image_of(spool_.image(kJob, 0), kVm));
  ASSERT_TRUE(image_->complete(spool_.image(kJob, 0)));
  EXPECT_TRUE(is_image_of(spool_.image(kJob, 0), kVm));
  EXPECT_FALSE(fs::exists(spool_.image_part(kJob, 0)));
}

TEST_F(XenImage, is_opened_where_the_stream_begins) {
  write("stream");
  ASSERT_TRUE(image_->complete(spool_.image(kJob, 0)));
  const auto opened = open_image(spool_.image(kJob, 0), kVm);
  ASSERT_TRUE(opened) << opened.error().message;
  char text[16] = "";
  EXPECT_EQ(::read(opened->stream.get(), text, sizeof text), 6);
  EXPECT_STREQ(text, "stream");
}

TEST_F(XenImage, tells_the_kind_of_its_guest) {
  for (const XenGuests guests : {XenGuests::pv, XenGuests::pvh, XenGuests::hvm}) {
    write("stream", guests);
    ASSERT_TRUE(image_->complete(spool_.image(kJob, 0)));
    const auto opened = open_image(spool_.image(kJob, 0), kVm);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(opened->guests, guests);
  }
}

TEST_F(XenImage, of_an_earlier_incarnation_is_not_taken_for_this_ones) {
  write("stream");
  ASSERT_TRUE(image_->complete(spool_.image(kJob, 0)));
  EXPECT_FALSE(is_image_of(spool_.image(kJob, 0), kOther));
  const auto opened = open_image(spool_.image(kJob, 0), kOther);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::not_found);
}

TEST_F(XenImage, replaces_the_one_before_it) {
  write("first");
  ASSERT_TRUE(image_->complete(spool_.image(kJob, 0)));
  write("second, longer");
  ASSERT_TRUE(image_->complete(spool_.image(kJob, 0)));
  EXPECT_EQ(fs::file_size(spool_.image(kJob, 0)), kXenImageHeaderSize + 14);
}

TEST_F(XenImage, that_is_given_up_does_not_take_the_place_of_another) {
  write("first");
  ASSERT_TRUE(image_->complete(spool_.image(kJob, 0)));
  write("second, cut short");
  ASSERT_TRUE(image_->close());
  image_.reset();
  EXPECT_EQ(fs::file_size(spool_.image(kJob, 0)), kXenImageHeaderSize + 5);
}

TEST_F(XenImage, is_whole_however_large) {
  const std::string large(5'000'000, 'x');
  write(large);
  ASSERT_TRUE(image_->complete(spool_.image(kJob, 0)));
  EXPECT_EQ(fs::file_size(spool_.image(kJob, 0)), kXenImageHeaderSize + large.size());
}

class GrowingImage : public XenImage {
 protected:
  // Reads it from its beginning while it may still grow.
  void follow() {
    auto image = open_image(spool_.image_part(kJob, 0), kVm);
    ASSERT_TRUE(image) << image.error().message;
    auto reader = ImageReader::begin(std::move(image->stream), spool_.image_part(kJob, 0),
                                     spool_.image(kJob, 0), kVm);
    ASSERT_TRUE(reader) << reader.error().message;
    reader_ = std::move(*reader);
  }
  void append(const std::string& stream) {
    ASSERT_EQ(::write(image_->stream(), stream.data(), stream.size()), static_cast<ssize_t>(stream.size()));
  }
  // Waits for so many bytes; fewer are all there are.
  std::string read(std::size_t most) {
    std::string text(most, '\0');
    std::size_t size = 0;
    while (size < most) {
      const ssize_t got = ::read(reader_->stream(), text.data() + size, most - size);
      if (got <= 0) break;
      size += static_cast<std::size_t>(got);
    }
    text.resize(size);
    return text;
  }

  std::unique_ptr<ImageReader> reader_;
};

TEST_F(GrowingImage, is_read_while_it_is_written_and_to_its_end) {
  write("one");
  follow();
  EXPECT_EQ(read(3), "one");
  append("two");
  EXPECT_EQ(read(3), "two");
  append("three");
  ASSERT_TRUE(image_->complete(spool_.image(kJob, 0)));
  EXPECT_EQ(read(100), "three");
}

TEST_F(GrowingImage, ends_early_when_its_writer_gives_it_up) {
  write("one");
  follow();
  EXPECT_EQ(read(3), "one");
  fs::remove(spool_.image_part(kJob, 0));
  EXPECT_EQ(read(100), "");
}

TEST_F(GrowingImage, ends_early_when_its_reader_gives_it_up) {
  write("one");
  follow();
  EXPECT_EQ(read(3), "one");
  reader_->give_up();
  EXPECT_EQ(read(100), "");
}

// libxl ends without having read all of it: the copying thread must not end the process.
TEST_F(GrowingImage, need_not_be_read_to_its_end) {
  write("one");
  follow();
  reader_.reset();
  append(std::string(1000, '.'));
  EXPECT_TRUE(image_->complete(spool_.image(kJob, 0)));
  ::usleep(100'000);
}

}  // namespace
}  // namespace aliquot
