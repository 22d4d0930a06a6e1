"""Modules that travel in the helpers' wheel and that no record rests on."""
