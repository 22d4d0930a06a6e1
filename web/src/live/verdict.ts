/* What is said of a live result, held against the record. */

/* What the server answers to a comparison. */
export interface Comparison {
  agrees: boolean;
  rule: string;
  detail: string;
  recorded: boolean;
}

export type Tone = "agrees" | "differs" | "neutral";

export interface Verdict {
  text: string;
  tone: Tone;
}

export const EDITED: Verdict = { text: "edited: not compared", tone: "neutral" };

/* The verdict on a result, and whether an edited cell ran before it. */
export function judge(found: Comparison, afterEdited: boolean): Verdict {
  if (!found.recorded) return { text: `not compared: ${found.detail}`, tone: "neutral" };
  if (found.agrees) return { text: `as recorded (rule: ${found.rule})`, tone: "agrees" };
  const why = afterEdited ? " A cell that you edited ran before it." : "";
  const detail = found.detail.replace(/\.?$/, ".");
  return {
    text: `differs from the record: ${detail}${why} (rule: ${found.rule})`,
    tone: "differs",
  };
}

/* What is said as cells begin to run, of which some may not be on show. */
export function describePlan(cells: number, hidden: number): string {
  if (cells === 1) return "runs";
  const among = hidden ? `, ${hidden} of them hidden on this page` : "";
  return `runs ${cells} cells${among}`;
}
