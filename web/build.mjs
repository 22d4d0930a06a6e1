// Bundles what the pages load on first use. Run by `d2l-support bundle`, which
// names the folder: node build.mjs FOLDER
//
// - widgets.js: recorded widgets with no kernel. One classic script, because a
//   page that is opened from a file may load no modules.
// - live.js: live cells. A module in parts; only a server gives these pages.
import { build } from "esbuild";

const folder = process.argv[2];
if (!folder) throw new Error("found no folder, expected: node build.mjs FOLDER");

/* The widgets of ipywidgets 7, and fonts of icons: this book has neither. */
const leaveOut = {
  name: "leave-out",
  setup({ onResolve, onLoad }) {
    const nothing = ({ path }) => ({ path, namespace: "nothing" });
    onResolve({ filter: /^@jupyter-widgets\/(base|controls)7/ }, nothing);
    onLoad({ filter: /.*/, namespace: "nothing" }, () => ({
      contents: "module.exports = {};",
    }));
  },
};

const options = {
  bundle: true,
  minify: true,
  target: "es2022",
  outdir: folder,
  plugins: [leaveOut],
  loader: {
    ".svg": "dataurl",
    ".png": "dataurl",
    ".eot": "empty",
    ".ttf": "empty",
    ".woff": "empty",
    ".woff2": "empty",
  },
  logLevel: "warning",
};

await build({ ...options, entryPoints: { widgets: "src/widgets/page.ts" }, format: "iife" });
await build({
  ...options,
  entryPoints: { live: "src/live/page.ts" },
  format: "esm",
  splitting: true,
  chunkNames: "parts/[name]-[hash]",
});
