# Stand-in for nvidia/cuda: Debian with the libraries that Node.js needs, and without CUDA. Enough to build on, not to run.
FROM selvage-check/debian
RUN useradd --uid 1000 --user-group ubuntu
