# A text file built into the binary, and rebuilt when the file changes.
#
#   tpu_admission_embed_text(tpu_admission_tpu tpu_admission::tpu::BuiltInCatalogText
#                            ${PROJECT_SOURCE_DIR}/config/tpu-catalog.yaml)
#
# defines `std::string_view tpu_admission::tpu::BuiltInCatalogText()` in the target; one of the
# target's headers declares it. As a script (cmake -P) this file writes the .cpp.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(TPU_ADMISSION_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

  function(tpu_admission_embed_text target function file)
    string(REPLACE "::" "_" name "${function}")
    set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.cpp)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DFUNCTION=${function} -DINPUT=${file} -DOUTPUT=${output}
              -P ${TPU_ADMISSION_EMBED_SCRIPT}
      DEPENDS ${file} ${TPU_ADMISSION_EMBED_SCRIPT}
      COMMENT "Embedding ${file}" VERBATIM)
    target_sources(${target} PRIVATE ${output})
  endfunction()
  return()
endif()

# Bytes rather than a string literal: compilers bound the length of those.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "::[^:]*$" "" namespace "${FUNCTION}")
string(REGEX REPLACE "^.*::" "" function "${FUNCTION}")
file(WRITE ${OUTPUT} "// Written by cmake/EmbedText.cmake.
#include <string_view>

namespace ${namespace} {
namespace {

constexpr unsigned char kBytes[] = {
${bytes}
};

}  // namespace

std::string_view ${function}();
std::string_view ${function}() {
  return {reinterpret_cast<const char*>(kBytes), sizeof(kBytes)};
}

}  // namespace ${namespace}
")
