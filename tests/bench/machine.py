"""The machine that is measured on, its processes, and the page that figures go into."""
import os
import platform
import re
import socket
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def resident_kib(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])


def end(process, seconds):
    """Asks the process to end, and makes it if it does not in time."""
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def describe():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    ssl = subprocess.run(["openssl", "version"], capture_output=True, text=True).stdout.strip()
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True).stdout
    return (f"{os.cpu_count()} processors ({model[1] if model else platform.machine()}), "
            f"Linux {platform.release()}, {compiler.splitlines()[0]}, {ssl}, "
            f"load average {os.getloadavg()[0]:.1f} at the start")


def write_between(mark, text):
    """Puts the text between <!-- mark --> and <!-- /mark --> in docs/performance.md."""
    page = os.path.join(HERE, "../../docs/performance.md")
    with open(page, encoding="utf-8") as file:
        old = file.read()
    begin, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->"
    if begin not in old or end not in old:
        raise ValueError(f"{page} has no place for {mark}")
    head, tail = old.partition(begin)[0], old.partition(end)[2]
    with open(page, "w", encoding="utf-8") as file:
        file.write(f"{head}{begin}\n{text}\n\n{end}{tail}")
