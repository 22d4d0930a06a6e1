import assert from "node:assert/strict";
import { test } from "node:test";
import { describePlan, judge } from "../src/live/verdict";

const found = { agrees: true, rule: "within 1e-5", detail: "", recorded: true };

test("judge of a result that agrees names the rule", () => {
  const expected = { text: "as recorded (rule: within 1e-5)", tone: "agrees" };
  assert.deepEqual(judge(found, false), expected);
});

test("judge of a result that differs says what and by which rule", () => {
  const differing = { ...found, agrees: false, detail: "line 1: 2, not 3" };
  const { text, tone } = judge(differing, false);
  assert.equal(text, "differs from the record: line 1: 2, not 3. (rule: within 1e-5)");
  assert.equal(tone, "differs");
});

test("judge of a result that differs after an edited cell says that too", () => {
  const differing = { ...found, agrees: false, detail: "line 1." };
  assert.match(judge(differing, true).text, /line 1\. A cell that you edited ran before/);
});

test("judge of a cell that is not recorded is neither good nor bad", () => {
  const unknown = { ...found, recorded: false, detail: "This page has no record yet." };
  const expected = { text: "not compared: This page has no record yet.", tone: "neutral" };
  assert.deepEqual(judge(unknown, false), expected);
});

test("describePlan says how many cells the page does not show", () => {
  assert.equal(describePlan(1, 0), "runs");
  assert.equal(describePlan(5, 0), "runs 5 cells");
  assert.equal(describePlan(5, 2), "runs 5 cells, 2 of them hidden on this page");
});
