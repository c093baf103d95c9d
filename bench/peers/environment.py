"""The environment variables with which PyTorch is fastest. Libraries read them at load time, so a
program sets them and restarts itself.
"""
import os
import sys

AVX512 = {
    "OPENBLAS_CORETYPE": "SKYLAKEX",  # OpenBLAS 0.3.21 picks slower kernels on CPUs it does not know
    "ATEN_CPU_CAPABILITY": "avx512",
}
ANYWHERE = {
    "OMP_PROC_BIND": "false",
    # Freed memory stays in the heap, on huge pages, and is not mapped and cleared again.
    "MALLOC_MMAP_THRESHOLD_": str(1 << 40),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 40),
    "MALLOC_TOP_PAD_": str(64 << 20),
    "MALLOC_ARENA_MAX": "1",
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}


def with_environment(keep_kernels=False):
    """Restarts this program with these variables. Variables that are already set keep their values, except
    OPENBLAS_CORETYPE, which is replaced on a CPU with AVX-512 unless keep_kernels."""
    if os.environ.get("PYTORCH_READY"):
        return
    with open("/proc/cpuinfo") as cpu:
        wanted = {**ANYWHERE, **(AVX512 if "avx512f" in cpu.read() else {})}
    given = {k: v for k, v in os.environ.items() if keep_kernels or k != "OPENBLAS_CORETYPE" or k not in wanted}
    os.execve(sys.executable, [sys.executable, *sys.argv], {**wanted, **given, "PYTORCH_READY": "1"})
