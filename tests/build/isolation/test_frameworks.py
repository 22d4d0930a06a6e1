"""Each framework in a sandbox: one operation, and a loader with workers."""

from pathlib import Path

import pytest

from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.isolation.run import run_isolated
from d2l_support.build.layout import Book

from .conftest import build_notebook, require_sandbox, text_of

CODES = {
    "pytorch": """
import torch
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.arange(8.0))
loader = DataLoader(data, batch_size=2, num_workers=2)
print(sum(batch.sum().item() for (batch,) in loader))
""",
    "tensorflow": """
import tensorflow as tf
data = tf.data.Dataset.range(8).map(tf.math.square, num_parallel_calls=2)
print(float(sum(data.batch(2).map(tf.reduce_sum))) - 112)
""",
    "jax": """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
import jax.numpy as jnp
with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as workers:
    rows = list(workers.map(float, range(8)))
print(float(jnp.array(rows).sum()))
""",
    "mxnet": """
from mxnet import gluon, np
data = gluon.data.ArrayDataset(np.arange(8))
loader = gluon.data.DataLoader(data, batch_size=2, num_workers=2)
print(float(sum(batch.sum() for batch in loader)))
""",
}


@pytest.mark.parametrize("framework", ALL_KEYS)
def test_framework_works_in_a_sandbox(framework):
    require_sandbox()
    book = Book.find(Path(__file__).parent)
    notebook = build_notebook(
        CODES[framework],
        f"from d2l_support import {framework} as d2l",
        "print(d2l.describe_environment()['framework'])",
    )
    done = run_isolated(notebook, framework, book, isolation="sandbox")
    assert (done.ending, done.completed) == ("whole", ("c0", "c1", "c2"))
    assert "28.0\n" in text_of(done)
    assert text_of(done, 2) == f"{framework}\n"
