# Compiler check, warnings as errors, hardening flags and sanitizers for every target of ours.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "g++ ${CMAKE_CXX_COMPILER_VERSION} is too old: C++20 coroutines need g++ 12 or "
                      "later. On Debian 12 and 13: apt-get install g++")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  message(FATAL_ERROR "clang ${CMAKE_CXX_COMPILER_VERSION} is too old: 14 or later is needed.")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(CMAKE_CXX_COMPILE_OPTIONS_IPO -flto=auto -fno-fat-lto-objects)  # links on all processors
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # It keeps what is compiled with a precompiled header (Layer.cmake) only if it is told that it may.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

add_library(tpu_admission_flags INTERFACE)
target_compile_options(tpu_admission_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wcast-align -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Which lock guards what, and who borrows from whom: only clang knows the attributes.
  target_compile_options(tpu_admission_flags INTERFACE -Wthread-safety -Wthread-safety-beta -Wdangling)
endif()

if(TPU_ADMISSION_SANITIZE)
  add_compile_options(-fsanitize=${TPU_ADMISSION_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TPU_ADMISSION_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With a sanitizer's checks in them, GCC 12 takes std::regex for one that reads what is not set, and a sum
    # of texts for one that goes behind its end.
    add_compile_options(-Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overread
                        -Wno-stringop-overflow)
  else()
    # A later clang sees that the library of GCC 12 uses what it deprecates itself.
    add_compile_options(-Wno-deprecated-declarations)
  endif()
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  # tests/image/hardening reads from the program whether they came through.
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS
                      -fstack-protector-strong -fstack-clash-protection
                      -ftrivial-auto-var-init=zero -ffunction-sections -fdata-sections)
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack -Wl,--gc-sections -Wl,--as-needed)
  if(NOT TPU_ADMISSION_STATIC)
    add_link_options(-pie)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    # Debian's start files are not marked, so that the linker must be told.
    add_compile_options(-fcf-protection=full)
    add_link_options(-Wl,-z,ibt,-z,shstk)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    add_compile_options(-mbranch-protection=standard)
  endif()
endif()
