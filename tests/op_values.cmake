# Compares the samples in SAMPLES, a folder for each instruction set, with NumPy, and removes them.
file(GLOB folders LIST_DIRECTORIES true ${SAMPLES}/*)
if(NOT folders)
  message(FATAL_ERROR "no samples in ${SAMPLES}")
endif()
foreach(folder ${folders})
  cmake_path(GET folder FILENAME target)
  message(STATUS "kernels for ${target}")
  execute_process(
    COMMAND ${PYTHON} -W ignore ${CMAKE_CURRENT_LIST_DIR}/python/op_reference.py ${folder}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(REMOVE_RECURSE ${SAMPLES})
