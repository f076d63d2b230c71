"""A disk image that tests boot: its boot sector counts, says that the task has ended well, and switches the
machine off, as QEMU has that or as Xen has it."""

CODE = (
    "fc31c08ed8"  # cld; ds = 0
    "66b9{}67e2fd"  # so many loops
    "baf802be287cac84c07403eeebf8"  # the status, to the second serial port
    "ba0406b80020ef"  # power off under QEMU,
    "ba04b0eff4"  # and under Xen
)
STATUS = b"aliquot-status 1 exit 0\n"


def disk(loops, megabytes=1):
    code = bytes.fromhex(CODE.format(loops.to_bytes(4, "little").hex()))
    assert len(code) == 0x28, len(code)
    return (code + STATUS).ljust(510, b"\0") + b"\x55\xaa" + bytes((megabytes << 20) - 512)
