"""Saving the random streams of a process, and putting them back.

A `slots.Streams` names every stream of a process: those that all frameworks
share (`shared_slots`) and those of one framework (a module for each). Their
states take plain `forms`, go into a `file` of data alone, and come back all or
not at all, after a `check` of the whole. `random_state` does the two steps.
"""
