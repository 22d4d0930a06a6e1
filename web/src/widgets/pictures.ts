/* Cleans HTML as Jupyter does, but leaves simple drawn pictures (SVG) in it. */
import { Sanitizer } from "@jupyterlab/apputils";

const SHAPES = ["svg", "g", "path", "rect", "circle", "line", "text"];
const LOOKS = [
  "aria-hidden",
  "class",
  "fill",
  "font-family",
  "font-size",
  "height",
  "stroke",
  "stroke-dasharray",
  "stroke-linejoin",
  "stroke-width",
  "style",
  "text-anchor",
  "viewbox",
  "width",
  ..."x y rx cx cy r d x1 y1 x2 y2".split(" "),
];
const sanitizer = new Sanitizer();
// Jupyter's own list, which its type hides: ours is the same and a little more.
const known = (sanitizer as any)._options;
const options = {
  allowedTags: [...known.allowedTags, ...SHAPES],
  allowedAttributes: {
    ...known.allowedAttributes,
    ...Object.fromEntries(SHAPES.map((shape) => [shape, LOOKS])),
  },
};

/* HTML that may format and draw, but neither script the page nor load anything. */
export function cleanHtml(html: string): string {
  return sanitizer.sanitize(html, options);
}
