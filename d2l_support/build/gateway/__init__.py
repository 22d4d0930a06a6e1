"""Kernels on another machine, behind a Jupyter Gateway.

1. ``address``: where the gateway is, which kernels it has, and who may ask.
2. ``channels``: a kernel's messages, over one socket.
3. ``kernel``: a kernel there, started, watched and ended.

A gateway is any server that speaks Jupyter's REST interface of kernels: a
Jupyter Server, a Jupyter Kernel Gateway or an Enterprise Gateway.
"""
