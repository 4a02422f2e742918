import type { ExpectedError } from "../expectation.ts";
import { type Fault, failingKind } from "../faults.ts";
import type { Feature, Section, Step } from "../feature.ts";
import { says } from "../question.ts";
import { TIDES, WEATHER } from "./tools.ts";
import { LONG_TEXT } from "./words.ts";

const question = { turns: [says("Repeat: one two three four five six seven eight")] };

/** A failure before any content gets its own status, streamed or not, and is not charged. */
function before(name: string, fault: Fault, error: ExpectedError): Feature {
  return { name, model: ({ client }) => failingKind(fault, client), steps: [() => ({ question, error })] };
}

/**
 * A stream that breaks after content ends with the style's error, never cleanly (docs/rulings.md 9), and is charged.
 */
function amid(name: string, fault: Fault): Feature {
  const whole: Step = { question, error: { statuses: [502, 503] } };
  const broken: Step = { question, answer: { end: "broken" }, receipt: { estimated: true } };
  return {
    name,
    model: ({ client }) => failingKind(fault, client),
    steps: [({ stream }) => (stream ? broken : whole)],
  };
}

/**
 * An answer without its last frame counts as complete when that frame would add no information (docs/rulings.md 60).
 */
const NO_TERMINAL: Feature = {
  name: "the last frame is missing",
  model: "no-done",
  steps: [
    ({ vendor, stream }) => {
      const is_broken = stream && vendor === "responses";
      // Converse sends the usage in the missing frame.
      const is_uncounted = is_broken || (stream && vendor === "bedrock");
      const answer = is_broken ? ({ end: "broken" } as const) : ({ text: "seven eight", end: "stop" } as const);
      return { question, answer, receipt: { estimated: is_uncounted } };
    },
  ],
};

/** Framing that is unusual but legal does not change the answer. */
function framed(name: string, kind: string): Feature {
  return {
    name,
    model: kind,
    steps: [() => ({ question: { turns: [says(LONG_TEXT)] }, answer: { text: LONG_TEXT.trim(), end: "stop" } })],
  };
}

function inPieces(name: string, kind: string): Feature {
  const turns = [says("Compare weather and tides.")];
  const asked = { turns, tools: [WEATHER, TIDES], reasoning: { effort: "low", shown: true } };
  const answer = { text: "Compare", reasoning: "shown", calls: ["weather", "tides"], end: "tool_calls" } as const;
  return { name, model: kind, steps: [() => ({ question: asked, answer })] };
}

export const failures: Section = {
  title: "Failures and framing",
  features: [
    before("the vendor refuses the request (400)", "fail-400", { statuses: [400] }),
    before("the vendor refuses the gateway's credential (401)", "fail-401", { statuses: [502] }),
    before("the vendor limits the rate (429)", "fail-429", { statuses: [429] }),
    before("the vendor fails (500)", "fail-500", { statuses: [502] }),
    before("an error event before any content", "error-first", { statuses: [502, 503] }),
    before("a cut before any content", "cut-before-content", { statuses: [502] }),
    amid("an error event amid the answer", "error-mid"),
    amid("a cut amid the answer", "cut-mid"),
    amid("an end in good order amid the answer", "end-mid"),
    amid("an event that cannot be read", "bad-json"),
    {
      name: "silence amid the answer",
      model: "echo",
      skip: () => "waits for the idle timeout, a minute by default",
      steps: [],
    },
    NO_TERMINAL,
    inPieces("written byte by byte", "chunks-1"),
    inPieces("written seven bytes at a time", "chunks-7"),
    framed("lines that end in CRLF", "crlf"),
    framed("comments between events", "comments"),
  ],
};
