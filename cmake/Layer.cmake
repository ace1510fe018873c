# A layer is one static library of src/<name>/ with its contract in include/tpu_admission/<name>/.
#
#   tpu_admission_layer(rules
#     SOURCES chips_per_host.cpp ...
#     USES base tpu workload          # layers whose headers it may include: arrows point down only
#     THIRD_PARTY boost               # private: no layer above sees these headers
#     PRECOMPILED <fmt/core.h>)       # what nearly all of its files read, where that pays
#
# What ships, what the sanitizers watch and what continuous integration tests is compiled in batches of files
# (CMAKE_UNITY_BUILD), which takes a third to half of the time: what is private to a file of several that use one
# name for it (the check of a rule) lies in a namespace of its own. Otherwise a debug build compiles each file by
# itself, and ./dev lint does without precompiled headers: there a file must include what it uses.
# Every call is written to ${CMAKE_BINARY_DIR}/layers.txt; tests/arch holds all includes against it.
set(TPU_ADMISSION_LAYERS_FILE ${CMAKE_BINARY_DIR}/layers.txt)
file(WRITE ${TPU_ADMISSION_LAYERS_FILE} "")

function(tpu_admission_layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;USES;THIRD_PARTY;PRECOMPILED" ${ARGN})
  if(LAYER_SOURCES)
    set(target tpu_admission_${name})
    add_library(${target} STATIC ${LAYER_SOURCES})
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include
                                         PRIVATE ${PROJECT_SOURCE_DIR}/src)
    foreach(used IN LISTS LAYER_USES)
      target_link_libraries(${target} PUBLIC tpu_admission_${used})
    endforeach()
    target_link_libraries(${target} PRIVATE tpu_admission_flags ${LAYER_THIRD_PARTY})
    if(CMAKE_UNITY_BUILD)
      # GCC takes a file that the batch includes for a header.
      target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    elseif(LAYER_PRECOMPILED)
      target_precompile_headers(${target} PRIVATE ${LAYER_PRECOMPILED})
    endif()
  endif()
  string(REPLACE ";" "," uses "${LAYER_USES}")
  string(REPLACE ";" "," third_party "${LAYER_THIRD_PARTY}")
  file(APPEND ${TPU_ADMISSION_LAYERS_FILE} "${name} uses=${uses} third_party=${third_party}\n")
endfunction()
