#!/usr/bin/env python3
"""stop_thread.py TID SECONDS: that thread alone stands still for so long, as if it got no processor."""

import ctypes
import os
import sys
import time

PTRACE_ATTACH, PTRACE_DETACH = 16, 17
ALL_THREADS = 0x40000000  # __WALL


def trace(libc, request, thread):
    if libc.ptrace(request, thread, None, None) != 0:
        error = ctypes.get_errno()
        sys.exit(f"stop_thread.py: thread {thread}: {os.strerror(error)}")


def main():
    thread, seconds = int(sys.argv[1]), float(sys.argv[2])
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long
    trace(libc, PTRACE_ATTACH, thread)
    os.waitpid(thread, ALL_THREADS)
    time.sleep(seconds)
    trace(libc, PTRACE_DETACH, thread)


if __name__ == "__main__":
    main()
