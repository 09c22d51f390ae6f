// The sanitizers' settings: an allocation that cannot be had is null, as without them.
extern "C" {

const char* __asan_default_options();
const char* __asan_default_options() { return "allocator_may_return_null=1"; }

const char* __tsan_default_options();
const char* __tsan_default_options() { return "allocator_may_return_null=1"; }

}  // extern "C"
