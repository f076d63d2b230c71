// The memory image of a VM that a save writes to the spool: a line of our own (xen_image_header.hpp),
// then libxl's migration stream. The line names the VM, because an earlier incarnation may have left an
// image too, and the kind of guest it is.
//
// A save writes to a second file (Spool::image_part), which is renamed when it is complete and on disk: the
// image itself is complete whenever it is there.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <thread>

#include "manager/hypervisor/descriptor.hpp"
#include "manager/hypervisor/libxl/xen_guests.hpp"
#include "manager/hypervisor/spool.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "manager/hypervisor/xen_image_header.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Writes the image of a VM: libxl writes its stream to a pipe, and a thread copies it to the file. libxl's
// buffers are pages mapped from another domain, and some file systems (9p) refuse to write those (EFAULT).
class ImageWriter {
 public:
  // Makes a new image that holds only its header.
  [[nodiscard]] static Result<std::unique_ptr<ImageWriter>> begin(const std::string& path, const Uuid& vm,
                                                                  XenGuests guests);
  ImageWriter(const ImageWriter&) = delete;
  ImageWriter& operator=(const ImageWriter&) = delete;
  ~ImageWriter();

  // The end of the pipe for libxl. Writing to it fails once the image cannot be written.
  [[nodiscard]] int stream() const { return stream_.get(); }
  // Waits until all of the stream is in the file; libxl must have ended. Error: why it could not be
  // written.
  Result<void> close();
  // Closes it, flushes it to disk, which takes long, and puts it in the place of the image `to`, of the
  // same directory.
  Result<void> complete(const std::string& to);

 private:
  struct Copy;
  ImageWriter(Descriptor stream, std::shared_ptr<Copy> copy);

  Descriptor stream_;
  std::shared_ptr<Copy> copy_;
  std::thread thread_;
};

[[nodiscard]] bool is_image_of(const std::string& path, const Uuid& vm);

struct XenImage {
  Descriptor stream;  // open where libxl's stream begins
  XenGuests guests;
};
// The image of this VM. ErrorKind::not_found: there is none.
[[nodiscard]] Result<XenImage> open_image(const std::string& path, const Uuid& vm);

// Reads an image while this node or another writes it: a thread copies the file, as it grows, to a pipe.
class ImageReader {
 public:
  // `image` stands where the stream begins, in the file `part`, which is renamed to `whole` when it is
  // complete. The pipe ends with the image, or early if its writer gives the image up.
  [[nodiscard]] static Result<std::unique_ptr<ImageReader>> begin(Descriptor image, const std::string& part,
                                                                  const std::string& whole, const Uuid& vm);
  ImageReader(const ImageReader&) = delete;
  ImageReader& operator=(const ImageReader&) = delete;
  ~ImageReader() { give_up(); }

  // The end of the pipe for libxl.
  [[nodiscard]] int stream() const { return stream_.get(); }
  // The pipe ends soon, wherever the image is.
  void give_up();

 private:
  struct Copy;
  ImageReader(Descriptor stream, std::shared_ptr<Copy> copy);

  Descriptor stream_;
  std::shared_ptr<Copy> copy_;
};

}  // namespace aliquot
