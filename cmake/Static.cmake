# What the static program is made of, where Debian has no static library: the headers of fmt and spdlog
# alone, and prometheus-cpp from its source, of the same version as Debian's headers.
# Included by Packages.cmake; packaging/static/ fetches the source, and builds a small OpenSSL.
set(TPU_ADMISSION_PROMETHEUS_SOURCE "" CACHE PATH "Unpacked source of prometheus-cpp")
set(OPENSSL_USE_STATIC_LIBS ON)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)

function(need_headers target debian header)
  find_path(${target}_INCLUDE_DIR ${header})
  if(NOT ${target}_INCLUDE_DIR)
    message(FATAL_ERROR "${header} was not found. Install it with: apt-get install ${debian}")
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE_DIR})
endfunction()

need_headers(fmt::fmt libfmt-dev fmt/format.h)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
need_headers(spdlog::spdlog libspdlog-dev spdlog/spdlog.h)
target_compile_definitions(spdlog::spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
target_link_libraries(spdlog::spdlog INTERFACE fmt::fmt)

file(GLOB prometheus_sources ${TPU_ADMISSION_PROMETHEUS_SOURCE}/core/src/*.cc
                             ${TPU_ADMISSION_PROMETHEUS_SOURCE}/core/src/detail/*.cc)
if(NOT prometheus_sources)
  message(FATAL_ERROR "TPU_ADMISSION_PROMETHEUS_SOURCE is not the source of prometheus-cpp. "
                      "./dev static fetches it and sets it.")
endif()
add_library(prometheus-cpp-core STATIC ${prometheus_sources})
target_link_libraries(prometheus-cpp-core PRIVATE Threads::Threads)

# GNU ld, since only it knows both; packed relocations are 0.6 MB less.
add_link_options(-static-pie -fuse-ld=bfd -Wl,-z,pack-relative-relocs)

# Compiled for size but for what reads a file, which is most of the time of a check.
function(tpu_admission_favour_size)
  foreach(layer IN ITEMS admission app cluster controller kube net observability offline pki repair rules
                         tpu webhooks workload)
    target_compile_options(tpu_admission_${layer} PRIVATE -Os)
  endforeach()
endfunction()
