#include "app/command_line.h"

int main(int argc, char** argv) { return tpu_admission::app::Run(argc, argv); }
