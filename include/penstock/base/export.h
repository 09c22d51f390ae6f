// PEN_API marks what the shared library exports; everything else is hidden.
#pragma once

#define PEN_API __attribute__((visibility("default")))
