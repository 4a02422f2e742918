import { expect, test } from "bun:test";
import { type Ending, readEnding } from "./endings.ts";

/** [a vendor's word, its meaning where there is content, its meaning where there is none] */
const CASES: readonly (readonly [string, Ending, Ending])[] = [
  ["stop", "stop", "stop"],
  ["STOP", "stop", "stop"],
  ["end_turn", "stop", "stop"],
  ["eos_token", "stop", "stop"],
  ["COMPLETE", "stop", "stop"],
  ["MAX_TOKENS", "length", "length"],
  ["model_context_window_exceeded", "length", "length"],
  ["pause_turn", "length", "length"],
  ["tool_use", "tool-calls", "tool-calls"],
  ["SAFETY", "content-filter", "content-filter"],
  ["guardrail_intervened", "content-filter", "content-filter"],
  ["refusal", "refusal", "refusal"],
  ["insufficient_system_resource", "failed", "failed"],
  ["network_error", "failed", "failed"],
  ["abort", "failed", "failed"],
  ["error", "failed", "failed"],
  ["MALFORMED_FUNCTION_CALL", "failed", "failed"],
  // What is in no table is not known to be good.
  ["OTHER", "length", "failed"],
  ["FINISH_REASON_UNSPECIFIED", "length", "failed"],
  ["a_word_of_tomorrow", "length", "failed"],
  ["constructor", "length", "failed"],
  ["", "length", "failed"],
];

test.each([...CASES])("%p is %s, and %s where nothing came", (word, filled, empty) => {
  expect([readEnding(word, true), readEnding(word, false)]).toEqual([filled, empty]);
});
