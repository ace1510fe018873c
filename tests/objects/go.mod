module tpu-admission.io/objects

go 1.26.0
