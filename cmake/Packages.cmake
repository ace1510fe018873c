# Third-party packages. A missing one is named together with the Debian package that has it. The ranges hold
# the versions of Debian 12 and 13, and so those of Ubuntu 24.04, where nobody has tried.
function(need_package name debian)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} was not found. Install it with: apt-get install ${debian}\n"
                        "(./dev deps installs everything this build needs.)")
  endif()
endfunction()

need_package(Threads g++)
if(TPU_ADMISSION_STATIC)
  include(Static)
endif()
need_package(Boost libboost-dev 1.81...<2 CONFIG)  # Debian 12: libboost1.81-dev
need_package(OpenSSL libssl-dev 3.0...<4)
need_package(nlohmann_json nlohmann-json3-dev 3.11)
need_package(CLI11 libcli11-dev 2.1...<3)
if(NOT TPU_ADMISSION_STATIC)
  need_package(fmt libfmt-dev 9...<13)
  need_package(spdlog libspdlog-dev 1.10...<2)
endif()

# For packages without a usable CMake file: an imported target of one header and one library.
function(need_library target debian header library)
  find_path(${target}_INCLUDE_DIR ${header})
  find_library(${target}_LIBRARY ${library})
  if(NOT ${target}_INCLUDE_DIR OR NOT ${target}_LIBRARY)
    message(FATAL_ERROR "${target} was not found. Install it with: apt-get install ${debian}\n"
                        "(./dev deps installs everything this build needs.)")
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE_DIR})
  target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
endfunction()

need_library(libyaml libyaml-dev yaml.h yaml)
# Debian's prometheus-cpp-config.cmake asks for civetweb's, which no package has; we need core only.
if(NOT TPU_ADMISSION_STATIC)
  need_library(prometheus-cpp-core prometheus-cpp-dev prometheus/registry.h prometheus-cpp-core)
endif()

add_library(boost INTERFACE IMPORTED)
target_include_directories(boost SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
target_compile_definitions(boost INTERFACE BOOST_ASIO_NO_DEPRECATED)
if(TPU_ADMISSION_SANITIZE MATCHES thread)
  # ThreadSanitizer knows no fences; Asio's locks order the same accesses.
  target_compile_definitions(boost INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
endif()

if(TPU_ADMISSION_TESTS)
  need_package(GTest "libgtest-dev libgmock-dev" 1.12...<2 CONFIG)
endif()
if(TPU_ADMISSION_BENCH)
  need_package(benchmark libbenchmark-dev 1.7...<2)
endif()
