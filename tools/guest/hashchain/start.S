/* The two entries of the hash-chain guest, both in 32-bit protected mode without paging and with interrupts
   off: of a multiboot loader (QEMU -kernel) with %ebx at the multiboot information (Multiboot Specification
   0.6.96, 3.2), and of Xen's loader of PVH guests with %ebx at the start info (xen/docs/misc/pvh.pandoc). */
  .section .multiboot, "a"
  .long 0x1BADB002
  .long 0
  .long -0x1BADB002

  .section .note.Xen, "a", @note
  .align 4
  .long 4, 4, 18 /* bytes of the name and of the value, XEN_ELFNOTE_PHYS32_ENTRY (xen/elfnote.h) */
  .asciz "Xen"
  .long start_on_xen

  .text
  .globl _start
_start:
  mov $run_on_pc, %eax
  jmp run
start_on_xen:
  mov $run_on_xen, %eax
run:
  cld
  mov $stack_top, %esp
  push %ebx
  call *%eax
halt:
  cli
  hlt
  jmp halt

  .bss
  .align 16
  .skip 4096
stack_top:
  .section .note.GNU-stack, "", @progbits
