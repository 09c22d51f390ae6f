"""tools/public_functions.py sees what a header declares, and nothing else."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import public_functions  # noqa: E402

HEADER = """\
// f(); in a comment
#pragma once
#define NOT_ONE(x) \\
  void not_one();
namespace house {
struct Later;
using Fn = void (*)(int);
PEN_API int free(int a, const char* text = "a;b", Fn fn = nullptr);
[[nodiscard]] PEN_API bool free(std::span<const int> list,
                                std::map<int, int> map = {});
PEN_API extern int g_variable;
inline int with_body() { return 1; }
template <typename T>
T generic(T value);
constexpr int at_compile_time(int);
enum class Kind { kOne, kTwo };
namespace strings_internal {
void append();
}
class PEN_API Thing : public Base {
 public:
  Thing() = default;
  explicit Thing(Kind kind, int64_t size = 3);
  ~Thing() override;
  Thing(const Thing&) = delete;
  struct Options {
    int number = compute(3);
  };
  Options options(Options given) const noexcept;
  static Thing make(void (*done)(void*), void* context);
  bool operator==(const Thing& other) const;
  int operator()(int a) const;
  int size() const { return size_; }
  void (*callback)(void*) = nullptr;

 private:
  void hidden();
  int size_ = 0;
};
struct Open {
  PEN_API int64_t after(int64_t steps) const;
};
}  // namespace house
"""


def found():
    return public_functions.Reader().read(HEADER)


def test_declarations_are_found_and_definitions_left_out():
    assert [each.full_name for each in found()] == [
        "house::free",
        "house::free",
        "house::Thing::Thing",
        "house::Thing::~Thing",
        "house::Thing::options",
        "house::Thing::make",
        "house::Thing::operator==",
        "house::Thing::operator()",
        "house::Open::after",
    ]


def test_a_function_is_referred_to_by_its_signature():
    uses = {each.full_name: public_functions._use(each) for each in found()[1:]}
    assert uses["house::free"] == (
        "keep(static_cast<bool (*)(std::span<const int>, std::map<int, int>)>(&free));"
    )
    assert uses["house::Thing::Thing"] == "keep(&make<Thing, Kind, int64_t>);"
    assert uses["house::Thing::options"] == (
        "keep(static_cast<Options (Thing::*)(Options) const noexcept>(&Thing::options));"
    )
    assert uses["house::Thing::make"] == (
        "keep(static_cast<Thing (*)(void (*)(void*), void*)>(&Thing::make));"
    )


def test_every_exported_function_of_the_headers_is_seen():
    for path in (ROOT / "include").rglob("*.h"):
        text = path.read_text(encoding="utf-8")
        seen = {each.name for each in public_functions.Reader().read(text)}
        exported = re.findall(r"^ *(?:\[\[\w+\]\] )?PEN_API [^;{(=]*?\b(\w+)\(", text, re.MULTILINE)
        assert set(exported) <= seen, path
