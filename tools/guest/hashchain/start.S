/* Entry of the hash-chain guest: a multiboot loader (QEMU -kernel) jumps here in 32-bit protected mode
   with interrupts off and %ebx at the multiboot information (Multiboot Specification 0.6.96, 3.2). */
  .section .multiboot, "a"
  .long 0x1BADB002
  .long 0
  .long -0x1BADB002

  .text
  .globl _start
_start:
  mov $stack_top, %esp
  push %ebx
  call chain_main
halt:
  cli
  hlt
  jmp halt

  .bss
  .align 16
  .skip 4096
stack_top:
  .section .note.GNU-stack, "", @progbits
