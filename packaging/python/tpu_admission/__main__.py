"""`python -m tpu_admission` is `tpu-admission`, wherever pip put it."""

import os
import sys
import sysconfig


def program():
    """The path of the program that was installed with this package."""
    schemes = [sysconfig.get_path("scripts")]
    user = "posix_user"
    if user in sysconfig.get_scheme_names():
        schemes.append(sysconfig.get_path("scripts", user))
    # Debian's pip writes to /usr/local; pip --target to bin in the folder of the package.
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    schemes += [os.path.join(here, "bin"), os.path.join(sys.prefix, "local", "bin")]
    for folder in schemes:
        path = os.path.join(folder, "tpu-admission")
        if os.path.isfile(path):
            return path
    sys.exit("tpu-admission: the program is in none of: " + " ".join(schemes))


if __name__ == "__main__":
    path = program()
    os.execv(path, [path, *sys.argv[1:]])
