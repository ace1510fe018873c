"""tpu-admission checks TPU workloads on GKE. This package only carries the program: see __main__."""
