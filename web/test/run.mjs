// Runs the tests of the pure functions: node test/run.mjs
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const folder = mkdtempSync(join(tmpdir(), "web-test-"));
const tests = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.ts"));
await build({
  entryPoints: tests.map((name) => join(import.meta.dirname, name)),
  bundle: true,
  platform: "node",
  format: "esm",
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  logLevel: "warning",
});
const files = tests.map((name) => join(folder, name.replace(/ts$/, "mjs")));
const { status } = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" });
rmSync(folder, { recursive: true });
process.exit(status ?? 1);
