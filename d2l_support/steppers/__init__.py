"""Pictures that change step by step, with no kernel behind them.

``draw_tiles`` and ``draw_curves`` make the pictures, ``show_steps`` puts them
behind a slider. Only ``show_steps`` needs ipywidgets, and only when called.
"""

from d2l_support.steppers.curves import Curve, draw_curves
from d2l_support.steppers.showing import show_steps
from d2l_support.steppers.tiles import Row, draw_tiles

__all__ = ["Curve", "Row", "draw_curves", "draw_tiles", "show_steps"]
