#!/bin/sh
# Compiles the program: ./build.sh [FILE]. Needs clang, llvm-strip and the headers of libbpf.
set -eu
cd "$(dirname "$0")"
into=${1:-flowstart.bpf.o}
include=/usr/include/$(gcc -print-multiarch 2>/dev/null || echo x86_64-linux-gnu)
# Without the path of this folder in it, the same source gives the same file everywhere.
clang -target bpf -mcpu=v3 -O2 -g -Wall -D__TARGET_ARCH_x86 -I"$include" \
	-fdebug-prefix-map="$PWD"=. -c flowstart.bpf.c -o "$into"
# What describes the program to the kernel (BTF) stays; what describes it to a debugger goes.
llvm-strip -g "$into"
