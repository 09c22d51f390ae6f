// PEN_API marks the symbols that the shared library exports; all others are hidden.
#pragma once

#define PEN_API __attribute__((visibility("default")))
