"""Interrupting a training and resuming it, and the proof that nothing is lost.

A `checkpoint` is one file of `plain` data. A `training` names what has to be
in it; the module of each framework reads and restores those items. The `proof`
runs a training twice, once with interruptions, on demand in another `process`,
and the `report` compares every number of the two.
"""
