# Installs a finished build into a prefix, then configures, builds and runs examples/consumer and
# examples/custom_op against that prefix, the way a user's project would.
#
#   cmake -DBUILD_DIR=... -DSOURCE_DIR=... -DGENERATOR=... -DCXX=... -P consumer_test.cmake
set(prefix ${BUILD_DIR}/prefix)
file(REMOVE_RECURSE ${prefix})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
foreach(example consumer custom_op)
  set(work ${BUILD_DIR}/installed_${example})
  file(REMOVE_RECURSE ${work})
  run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/examples/${example} -B ${work} -G ${GENERATOR}
      -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${prefix}
      -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
  run(${CMAKE_COMMAND} --build ${work})
  run(${work}/${example})
  message("${out}")
endforeach()
