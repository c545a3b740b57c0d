# SPDX-License-Identifier: Apache-2.0
# Flags that every target of the project is built with; `hardrun_library` is how a layer is declared.

# -Os: a container's start is page faults more than instructions, and -O2 makes three times the text.
set(CMAKE_CXX_FLAGS_RELEASE "-Os -DNDEBUG")
add_library(hardrun_flags INTERFACE)
target_compile_options(hardrun_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Wno-missing-field-initializers
  -fstack-protector-strong -ffunction-sections -fdata-sections
  -fno-semantic-interposition)
target_include_directories(hardrun_flags INTERFACE ${CMAKE_SOURCE_DIR})
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  target_compile_options(hardrun_flags INTERFACE -fcf-protection)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of g++ 12: -Wrestrict for string concatenation (GCC bug 105329), -Wmaybe-uninitialized
  # for std::optional at -Os (GCC bug 80635).
  target_compile_options(hardrun_flags INTERFACE -ftrivial-auto-var-init=zero -Wno-restrict
    $<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
endif()
if(HARDRUN_SANITIZE)
  target_compile_options(hardrun_flags INTERFACE
    -fsanitize=${HARDRUN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(hardrun_flags INTERFACE -fsanitize=${HARDRUN_SANITIZE})
else()
  target_compile_options(hardrun_flags INTERFACE $<$<CONFIG:Release>:-U_FORTIFY_SOURCE>
    $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=3>)
endif()
target_link_options(hardrun_flags INTERFACE -Wl,--gc-sections -Wl,-z,relro,-z,now)

# hardrun_library(NAME LIBS...): a static library of every .cc file in this folder.
function(hardrun_library name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC hardrun_flags ${ARGN})
endfunction()
