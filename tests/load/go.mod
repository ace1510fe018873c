module tpu-admission.io/load

go 1.26.0
