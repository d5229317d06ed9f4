"""View operations on ten elements and on a thousand million: the same work, so the ratio is near 1."""

import numpy as np

import tensorlab as tl
from tests.benchmarks.interleaved import heading, interleaved, line

FEW, MANY = (2, 5), (20_000, 50_000)

WORKS = {
    "transpose": lambda x: x.transpose(),
    "flip": lambda x: x.flip(),
    "every second column": lambda x: x[:, ::2],
    "narrow": lambda x: x.narrow(axis=1, start=1, length=3),
    "reshape": lambda x: x.reshape(-1),
    "diagonal": lambda x: x.diagonal(),
    "windows": lambda x: x.windows(axis=1, size=2),
    "broadcast_to": lambda x: x.broadcast_to((3, *x.shape)),
}


def test_views_cost_the_same_whatever_the_size(capsys):
    few, many = (tl.Tensor(np.zeros(np.prod(shape), np.uint8), tl.Layout.row_major(shape)) for shape in (FEW, MANY))
    rows = []
    for name, work in WORKS.items():
        assert work(few).shares_buffer(few)
        assert work(many).shares_buffer(many)
        times = interleaved(
            {"many": lambda work=work: work(many), "few": lambda work=work: work(few)}, rounds=60, calls=20
        )
        rows.append(line(name, times["many"], times["few"], "1x"))
    with capsys.disabled():
        print(heading("Views of 1,000,000,000 elements", "of 10 elements"))
        print("\n".join(rows))
