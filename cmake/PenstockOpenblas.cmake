# LAPACK: OpenBLAS from the wheel scipy-openblas32, whose symbols have a prefix of their own.
#
# Nothing links to it: src/kernels/lapack.cc loads it at the first call that needs it, and says why.
# It is looked for in the wheel while we run from the build tree, and beside penstock once installed.
file(GLOB penstock_openblas_dirs
  ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/scipy_openblas32/lib)
if(SKBUILD AND Python_EXECUTABLE)  # a wheel's build has an environment of its own
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c "import scipy_openblas32 as b; print(b.get_lib_dir())"
    OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE penstock_openblas_dirs)
endif()
find_library(PENSTOCK_OPENBLAS_LIBRARY scipy_openblas HINTS ${penstock_openblas_dirs})
if(NOT PENSTOCK_OPENBLAS_LIBRARY)
  message(FATAL_ERROR "OpenBLAS not found: run tools/setup.sh (PyPI package scipy-openblas32)")
endif()
get_filename_component(PENSTOCK_OPENBLAS_DIR ${PENSTOCK_OPENBLAS_LIBRARY} DIRECTORY)

# penstock_use_openblas(target): where `target`, or a program with it inside, finds the library.
function(penstock_use_openblas target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    set_target_properties(${target} PROPERTIES
      BUILD_RPATH ${PENSTOCK_OPENBLAS_DIR} INSTALL_RPATH "$ORIGIN")
  else()
    target_link_options(${target} INTERFACE LINKER:-rpath,${PENSTOCK_OPENBLAS_DIR})
    if(PENSTOCK_SANITIZE)
      # A sanitizer's dlopen is the caller then: only the older form of the path holds for it too.
      target_link_options(${target} INTERFACE LINKER:--disable-new-dtags)
    endif()
  endif()
endfunction()
