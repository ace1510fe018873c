"""A bar chart as SVG, without a library."""
from xml.sax.saxutils import escape

WIDTH, LABELS, BAR, GAP, TOP = 760, 270, 22, 10, 50


def bars(title, rows):
    """Rows are of a name and a number."""
    most = max(number for _, number in rows)
    height = TOP + len(rows) * (BAR + GAP) + GAP
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" role="img" '
             f'font-family="sans-serif" font-size="13"><title>{escape(title)}</title>',
             '<rect width="100%" height="100%" fill="white"/>',
             f'<text x="{GAP}" y="26" font-size="16">{escape(title)}</text>']
    for number, (name, value) in enumerate(rows):
        y = TOP + number * (BAR + GAP)
        width = (WIDTH - LABELS - 90) * value / most
        color = "#9aa5b1" if number == 0 else "#3b78c3"
        parts.append(f'<text x="{LABELS - GAP}" y="{y + 16}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<rect x="{LABELS}" y="{y}" width="{width:.1f}" height="{BAR}" fill="{color}"/>')
        parts.append(f'<text x="{LABELS + width + 6:.1f}" y="{y + 16}">{value:,.0f}</text>')
    return "\n".join(parts + ["</svg>", ""])
