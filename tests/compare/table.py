"""The results as one page of Markdown."""
import statistics

CPU = "server_cpu_us_per_request"


def median(values):
    return f"{statistics.median(values):,.0f}"


def spread(values, digits=0):
    return (f"{statistics.median(values):,.{digits}f} "
            f"({min(values):,.{digits}f}-{max(values):,.{digits}f})")


def ratios(theirs, ours):
    """Of the CPU, round by round."""
    return [a[CPU] / b[CPU] for a, b in zip(theirs, ours)]


def cells(found, name, ours, rate):
    """CPU with its range, ratio with its range, p50 and p99, and at full speed what it answers."""
    if name not in found:
        return ["-"] * (3 if rate else 4)
    samples = found[name]
    row = [spread([sample[CPU] for sample in samples]),
           "1" if name == ours else spread(ratios(samples, found[ours]), 1)]
    if not rate:
        row.append(median([sample["per_second"] for sample in samples]))
    return row + [" / ".join(median([sample[key] for sample in samples]) for key in ("p50_us", "p99_us"))]


def lines(header, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in
                     [header, ["---"] * len(header)] + rows)


def by_review(results, ours):
    header = ["review", "server", "CPU us", "to ours", "reviews/s", "p50 / p99 us",
              "CPU us, 300/s", "to ours", "p50 / p99 us, 300/s"]
    rows = []
    for review, ways in results["samples"].items():
        full, rate = ways["full speed"], ways["300 a second"]
        rows += [[review, name] + cells(full, name, ours, False) + cells(rate, name, ours, True)
                 for name in full]
    return lines(header, rows)


def by_server(results, ours):
    new = {}
    for ways in results["samples"].values():
        found = ways.get("new connection", {})
        new = {name: (found[name], found[ours]) for name in found} | new
    rows = []
    for name, version in results["versions"].items():
        row = [name, version] + [f"{mib:.1f}" for mib in results["resident_mib"][name]]
        if name in new:
            row += [spread([sample[CPU] for sample in new[name][0]]),
                    "1" if name == ours else spread(ratios(*new[name]), 1)]
        rows.append(row + ["-"] * (6 - len(row)))
    return lines(["server", "version", "MiB after its first reviews", "MiB after all",
                  "CPU us, new TLS connection and a review", "to ours"], rows)


def page(results):
    ours = next(iter(results["versions"]))
    others = [sample["others"] for ways in results["samples"].values() for found in ways.values()
              for samples in found.values() for sample in samples]
    cpus = results["processors"]
    return "\n".join([
        f"`{results['command']}`, on {results['machine']}. {len(cpus['servers'])} processors for the "
        f"servers, {len(cpus['client'])} for the client; meanwhile others took {median_of(others)} "
        f"of the machine's processors, at most {max(others):.1f}{niceness(results)}.",
        "Medians, in brackets the smallest and the largest round.", "",
        by_review(results, ours), "", by_server(results, ours)])


def niceness(results):
    return f"; all ran at niceness {results['nice']}" if results["nice"] else ""


def median_of(values):
    return f"{statistics.median(values):.1f}"
