// The memory image of a VM that a save writes to the spool: a line of our own, padded to kHeaderSize bytes,
// then libxl's migration stream. The line names the VM, because an earlier incarnation may have left an
// image too.
//
// A save writes to a second file (Spool::image_part), which is renamed when it is complete and on disk: the
// image itself is complete whenever it is there.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <thread>

#include "manager/hypervisor/descriptor.hpp"
#include "manager/hypervisor/spool.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

inline constexpr std::size_t kXenImageHeaderSize = 512;

// Writes the image of a VM from what libxl writes to a pipe, on a thread of its own. libxl writes pages
// that belong to another domain, and some file systems (9p, direct I/O) take no such page.
class ImageWriter {
 public:
  // A new image with nothing but its header.
  [[nodiscard]] static Result<std::unique_ptr<ImageWriter>> begin(const std::string& path, const Uuid& vm);
  ImageWriter(const ImageWriter&) = delete;
  ImageWriter& operator=(const ImageWriter&) = delete;
  ~ImageWriter();

  // Where libxl writes its stream. It fails once the image cannot be written.
  [[nodiscard]] int stream() const { return stream_.get(); }
  // libxl has ended. Waits for the last of the stream; why the image could not be written.
  Result<void> close();
  // The stream is complete: it is flushed to disk and takes the place of the image before it.
  Result<void> complete(const Spool& spool, JobId job, std::uint32_t task);

 private:
  struct Copy;
  ImageWriter(Descriptor stream, std::shared_ptr<Copy> copy);

  Descriptor stream_;
  std::shared_ptr<Copy> copy_;
  std::thread thread_;
};

[[nodiscard]] bool is_image_of(const std::string& path, const Uuid& vm);
// The image of this VM, open where its stream begins. ErrorKind::not_found: there is none.
[[nodiscard]] Result<Descriptor> open_image(const std::string& path, const Uuid& vm);

}  // namespace aliquot
