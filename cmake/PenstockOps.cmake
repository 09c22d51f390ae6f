# penstock_gen_ops: writes <penstock/ops.h> and ops_gen.cc from the op definitions.
#
# The generator leaves an output alone when its content would not change, so the stamp carries the
# time of the last run and the outputs keep theirs: editing a kernel call inside one op file reruns
# the generator and recompiles that file only.
find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)

set(PENSTOCK_GENERATED_INCLUDE ${PROJECT_BINARY_DIR}/generated/include)
set(PENSTOCK_OPS_HEADER ${PENSTOCK_GENERATED_INCLUDE}/penstock/ops.h)
set(PENSTOCK_OPS_SOURCE ${PROJECT_BINARY_DIR}/generated/src/ops_gen.cc)
set(PENSTOCK_OPS_STAMP ${PROJECT_BINARY_DIR}/generated/ops.stamp)
file(MAKE_DIRECTORY ${PENSTOCK_GENERATED_INCLUDE}/penstock ${PROJECT_BINARY_DIR}/generated/src)

file(GLOB PENSTOCK_OP_FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ops/*.cc)
add_custom_command(
  OUTPUT ${PENSTOCK_OPS_STAMP}
  BYPRODUCTS ${PENSTOCK_OPS_HEADER} ${PENSTOCK_OPS_SOURCE}
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/gen_ops.py
          --list ${PROJECT_SOURCE_DIR}/src/ops/op_list.inc --src ${PROJECT_SOURCE_DIR}/src/ops
          --header ${PENSTOCK_OPS_HEADER} --source ${PENSTOCK_OPS_SOURCE}
  COMMAND ${CMAKE_COMMAND} -E touch ${PENSTOCK_OPS_STAMP}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/gen_ops.py ${PROJECT_SOURCE_DIR}/src/ops/op_list.inc
          ${PENSTOCK_OP_FILES}
  COMMENT "Generating penstock/ops.h"
  VERBATIM)
add_custom_target(penstock_gen_ops DEPENDS ${PENSTOCK_OPS_STAMP})
