# Toolchain for 64-bit ARM on another machine: Debian's cross compiler, a sysroot with the libraries
# (`tools/setup.sh arm` makes both), and qemu to run what was built. `make test-arm` uses it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH penstock_root)
set(CMAKE_SYSROOT ${penstock_root}/build/aarch64-sysroot)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Loaded at run time, from the wheel for ARM.
set(PENSTOCK_OPENBLAS_LIBRARY ${CMAKE_SYSROOT}/opt/scipy_openblas32/lib/libscipy_openblas.so
  CACHE FILEPATH "OpenBLAS")

find_program(CMAKE_CXX_COMPILER NAMES
  aarch64-linux-gnu-g++ aarch64-linux-gnu-g++-14 aarch64-linux-gnu-g++-13 aarch64-linux-gnu-g++-12)
# GCC notes what it passed otherwise before version 10.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)
# A chip without SME: OpenBLAS 0.3.34 takes its kernels for that where qemu offers all extensions, and
# complex matrix products come out wrong (OPENBLAS_CORETYPE=ARMV9SME; every other core type is right).
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -cpu neoverse-n1 -L ${CMAKE_SYSROOT})
