import type { Answer, End } from "./answer.ts";
import { isFields } from "./read-fields.ts";
import { demand, quote } from "./violation.ts";

/** The required content of an answer. Only the members that are present are checked. */
export interface Expectation {
  /** A part that the text must contain. */
  readonly text?: string;
  readonly text_is?: string;
  /** A part that the text must not contain. */
  readonly without?: string;
  readonly end?: End | readonly End[];
  /** Names of the tools called, in order. */
  readonly calls?: readonly string[];
  readonly reasoning?: "shown" | "hidden";
  readonly seals?: "some" | "none";
  /**
   * The least number of input tokens, cached ones included, which shows that the client's input has reached the model.
   */
  readonly input_at_least?: number;
  readonly output_at_most?: number;
  readonly cached?: true;
  readonly logprobs?: "some" | "none";
  readonly choices?: number;
  /** Properties that the text, as JSON, must have; each is a string. */
  readonly json?: readonly string[];
  readonly stop_sequence?: string;
}

/** An error that the rules require, so that the cell conforms when it comes. */
export interface ExpectedError {
  readonly statuses: readonly number[];
  /** A part of the error's message, in lower case. */
  readonly says?: string;
}

/** Throws a Violation for the first difference between the answer and the expectation. */
export function checkAnswer(answer: Answer, expected: Expectation): void {
  const ends = expected.end === undefined ? null : [expected.end].flat();
  demand(ends === null || ends.includes(answer.end), `it ended with ${answer.end}; expected ${ends?.join(" or ")}`);
  checkText(answer, expected);
  checkCalls(answer, expected);
  checkReasoning(answer, expected);
  checkCounts(answer, expected);
  if (expected.json !== undefined) checkJson(answer.text, expected.json);
  const { stop_sequence } = expected;
  demand(
    stop_sequence === undefined || answer.stop_sequence === stop_sequence,
    `'stop_sequence' is ${quote(answer.stop_sequence)}; expected ${quote(stop_sequence)}`,
  );
}

function checkText({ text }: Answer, { text: held, text_is, without }: Expectation): void {
  demand(held === undefined || text.includes(held), `the text is ${quote(text)}; expected ${quote(held)} in it`);
  demand(text_is === undefined || text === text_is, `the text is ${quote(text)}; expected ${quote(text_is)}`);
  demand(without === undefined || !text.includes(without), `the text holds ${quote(without)}: ${quote(text)}`);
}

function checkCalls({ calls }: Answer, { calls: expected }: Expectation): void {
  if (expected === undefined) return;
  const names = calls.map(({ name }) => name);
  demand(quote(names) === quote(expected), `it calls ${quote(names)}; expected ${quote(expected)}`);
  demand(new Set(calls.map(({ id }) => id)).size === calls.length, "two calls have the same id");
}

function checkReasoning({ reasoning, seals }: Answer, expected: Expectation): void {
  if (expected.reasoning === "shown") demand(reasoning !== "", "no reasoning is shown");
  if (expected.reasoning === "hidden") demand(reasoning === "", `reasoning is shown: ${quote(reasoning)}`);
  if (expected.seals === "some") demand(seals > 0, "no reasoning is signed or encrypted");
  if (expected.seals === "none") demand(seals === 0, `${seals} values are signed or encrypted`);
}

function checkCounts({ usage, logprobs, choices }: Answer, expected: Expectation): void {
  if (usage !== null) {
    const input = usage.input_tokens + usage.cache_read_tokens + (usage.cache_write_tokens ?? 0);
    const { input_at_least: least = 0, output_at_most: most = Number.POSITIVE_INFINITY } = expected;
    demand(input >= least, `the input counts ${input} tokens; what was sent has at least ${least}`);
    demand(usage.output_tokens <= most, `the output counts ${usage.output_tokens} tokens; the cap was ${most}`);
    if (expected.cached) demand(usage.cache_read_tokens > 0, "no input is told to have been read from a cache");
  }
  if (expected.logprobs === "some") demand(logprobs > 0, "no log-probabilities");
  if (expected.logprobs === "none") demand(logprobs === 0, "log-probabilities that nobody asked for");
  const { choices: wanted = 1 } = expected;
  demand(choices === wanted, `${choices} choices; expected ${wanted}`);
}

function checkJson(text: string, properties: readonly string[]): void {
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    demand(false, `the text is no JSON: ${quote(text)}`);
  }
  demand(isFields(value), `the text is no JSON object: ${quote(text)}`);
  const missing = properties.find((name) => typeof value[name] !== "string");
  demand(missing === undefined, `the text has no string '${missing}': ${quote(text)}`);
}
