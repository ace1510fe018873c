// Borrowing as part of a type: clang warns where what a parameter lends ends before its borrower
// (./dev lint makes that an error); other compilers see nothing.
#pragma once

// Behind a parameter: the result, or the object made, refers to the argument. Behind a member
// function's `const`: the result refers to the object.
#if defined(__clang__)
#define TPU_ADMISSION_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define TPU_ADMISSION_LIFETIME_BOUND
#endif
