# A layer is one static library of src/<name>/ with its contract in include/tpu_admission/<name>/.
#
#   tpu_admission_layer(rules
#     SOURCES chips_per_host.cpp ...
#     USES base tpu workload          # layers whose headers it may include: arrows point down only
#     THIRD_PARTY boost)              # private: no layer above sees these headers
#
# Every call is written to ${CMAKE_BINARY_DIR}/layers.txt; tests/arch holds all includes against it.
set(TPU_ADMISSION_LAYERS_FILE ${CMAKE_BINARY_DIR}/layers.txt)
file(WRITE ${TPU_ADMISSION_LAYERS_FILE} "")

function(tpu_admission_layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;USES;THIRD_PARTY" ${ARGN})
  if(LAYER_SOURCES)
    set(target tpu_admission_${name})
    add_library(${target} STATIC ${LAYER_SOURCES})
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include
                                         PRIVATE ${PROJECT_SOURCE_DIR}/src)
    foreach(used IN LISTS LAYER_USES)
      target_link_libraries(${target} PUBLIC tpu_admission_${used})
    endforeach()
    target_link_libraries(${target} PRIVATE tpu_admission_flags ${LAYER_THIRD_PARTY})
  endif()
  string(REPLACE ";" "," uses "${LAYER_USES}")
  string(REPLACE ";" "," third_party "${LAYER_THIRD_PARTY}")
  file(APPEND ${TPU_ADMISSION_LAYERS_FILE} "${name} uses=${uses} third_party=${third_party}\n")
endfunction()
