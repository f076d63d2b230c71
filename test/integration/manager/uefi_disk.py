"""A disk image that boots by UEFI: its program counts, says that the task has ended well, and switches the
machine off. No kernel is needed for that: the firmware starts a program that uses ports alone."""

import struct
import subprocess

STATUS = b"\naliquot-status 1 exit 0\n\0"
ALIGNMENT = 512
PAGE = 4096

# No interrupt comes: the firmware would restart the machine after five minutes.
COUNT = bytes.fromhex("fcfa48b9")  # cld; cli; rcx = ...
SAY = bytes.fromhex(
    "e2fe"  # so many loops
    "488d3500000000"  # rsi: the text behind the code
    "baf8020000ac84c07403eeebf8"  # to the second serial port
    "ba04b00000b80020000066ef"  # power off, as this firmware has it,
    "ba0406000066eff4"  # and as others have it
)


def program(loops):
    """As a PE file with one section (Microsoft PE/COFF, 3)."""
    code = COUNT + struct.pack("<Q", loops) + SAY
    text_at = len(code)
    reach = code.index(bytes.fromhex("488d35")) + 7
    lea = bytes.fromhex("488d35")
    code = code.replace(lea + bytes(4), lea + struct.pack("<i", text_at - reach))
    body = (code + STATUS).ljust(ALIGNMENT, b"\0")
    optional = struct.pack(
        "<HBBIIIIIQIIHHHHHHIIIIHHQQQQII",
        *(0x20B, 0, 0, len(body), 0, 0, PAGE, PAGE, 0),  # code, its entry and base; the base of the image
        *(PAGE, ALIGNMENT, 0, 0, 0, 0, 0, 0, 0),  # alignments, versions
        *(2 * PAGE, ALIGNMENT, 0, 10, 0),  # sizes of image and headers; a program for UEFI
        *(0, 0, 0, 0, 0, 6),  # stack and heap; directories
    ) + bytes(6 * 8)
    head = struct.pack("<HHIIIHH", 0x8664, 1, 0, 0, 0, len(optional), 0x22)
    section = struct.pack(
        "<8sIIIIIIHHI", b".text", len(body), PAGE, len(body), ALIGNMENT, 0, 0, 0, 0, 0x60000020
    )
    dos = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64)
    return (dos + b"PE\0\0" + head + optional + section).ljust(ALIGNMENT, b"\0") + body


def disk(folder, name, loops):
    """A FAT file system without partitions, which the firmware takes for a medium to boot from."""
    path, boot = folder / name, folder / f"{name}.efi"
    boot.write_bytes(program(loops))
    for words in [
        ["mkfs.vfat", "-C", path, "2048"],
        ["mmd", "-i", path, "::EFI", "::EFI/BOOT"],
        ["mcopy", "-i", path, boot, "::EFI/BOOT/BOOTX64.EFI"],
    ]:
        subprocess.run(list(map(str, words)), check=True, capture_output=True, timeout=60)
    return path.read_bytes()
