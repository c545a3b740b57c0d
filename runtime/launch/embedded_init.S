// SPDX-License-Identifier: Apache-2.0
// The init program's bytes inside the runtime. HARDRUN_INIT_PATH comes from the build.
    .section .rodata
    .global hardrun_init_begin
    .global hardrun_init_end
    .balign 16
hardrun_init_begin:
    .incbin HARDRUN_INIT_PATH
hardrun_init_end:
    .section .note.GNU-stack,"",%progbits
