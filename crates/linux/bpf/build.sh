#!/bin/sh
# Compiles the program: ./build.sh [FILE]. Needs clang, llvm-strip and the headers of libbpf.
set -eu
into=$(realpath -m "${1:-$(dirname "$0")/flowstart.bpf.o}")
cd "$(dirname "$0")"
# Relative names, so that the same source and compiler give the same file everywhere.
clang -target bpf -mcpu=v3 -O2 -g -Wall -D__TARGET_ARCH_x86 -idirafter /usr/include/x86_64-linux-gnu \
	-fdebug-compilation-dir=. -c flowstart.bpf.c -o "$into"
# What describes the program to the kernel (BTF) stays; what describes it to a debugger goes.
llvm-strip -g "$into"
