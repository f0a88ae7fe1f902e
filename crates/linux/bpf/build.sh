#!/bin/sh
# Compiles the programs: ./build.sh [FOLDER]. Needs clang, llvm-strip and the headers of libbpf.
set -eu
into=$(realpath -m "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
for program in flowstart collect startups/startups; do
	mkdir -p "$(dirname "$into/$program")"
	# Relative names, so that the same source and compiler give the same file everywhere.
	(cd "$(dirname "$program")" && clang -target bpf -mcpu=v3 -O2 -g -Wall -D__TARGET_ARCH_x86 \
		-idirafter /usr/include/x86_64-linux-gnu -fdebug-compilation-dir=. \
		-c "$(basename "$program").bpf.c" -o "$into/$program.bpf.o")
	# What describes the program to the kernel (BTF) stays; what describes it to a debugger goes.
	llvm-strip -g "$into/$program.bpf.o"
done
