#!/bin/sh
# Compiles the startups: ./build.sh [FILE]. Needs clang, llvm-strip and the headers of libbpf.
set -eu
into=$(realpath -m "${1:-$(dirname "$0")/startups.bpf.o}")
cd "$(dirname "$0")"
clang -target bpf -mcpu=v3 -O2 -g -Wall -D__TARGET_ARCH_x86 -idirafter /usr/include/x86_64-linux-gnu \
	-fdebug-compilation-dir=. -c startups.bpf.c -o "$into"
llvm-strip -g "$into"
