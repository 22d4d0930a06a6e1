import assert from "node:assert/strict";
import { test } from "node:test";
import { explain, GONE, LOGGED_OUT, Trouble } from "../src/live/trouble";

test("explain of a fetch that found no one says what to start", () => {
  assert.equal(explain(new TypeError("Failed to fetch")), GONE);
});

test("explain of a login that ended says which address to open", () => {
  assert.equal(explain({ response: { status: 403 }, message: "Forbidden" }), LOGGED_OUT);
});

test("explain of another refusal passes on what the server says", () => {
  const refusal = { response: { status: 500 }, message: "No such kernel" };
  assert.equal(explain(refusal), "The server refused (500): No such kernel");
});

test("explain of our own trouble leaves it as it stands", () => {
  assert.equal(explain(new Trouble("Do this.")), "Do this.");
  assert.equal(explain("odd"), "odd");
});
