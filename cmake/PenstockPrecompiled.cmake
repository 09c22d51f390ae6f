# penstock_precompile(target headers...): the standard headers that nearly every file includes, read
# once for the target instead of once for each file. Sources include what they use all the same: the
# sanitizers' builds have no precompiled headers.
option(PENSTOCK_PRECOMPILE "Precompile the standard headers" ON)

function(penstock_precompile target)
  if(PENSTOCK_PRECOMPILE AND NOT PENSTOCK_SANITIZE)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <atomic> <bit> <cmath> <concepts> <cstdint> <cstring> <functional>
      <limits> <memory> <mutex> <numeric> <optional> <span> <string> <string_view> <type_traits>
      <unordered_map> <unordered_set> <utility> <vector> ${ARGN})
    # For ccache: GCC names the precompiled header in what it preprocesses, Clang leaves the time out.
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
      $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
  endif()
endfunction()
