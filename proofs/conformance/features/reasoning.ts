import type { Answer } from "../answer.ts";
import type { Cell } from "../cell.ts";
import { type Feature, type Section, type Step, skipClients } from "../feature.ts";
import { type Question, type Reasoning, type Result, says, type Turn } from "../question.ts";
import { TIDES, WEATHER } from "./tools.ts";

const WHY = says("Why is it so?");
const NO_BUDGET = skipClients({ responses: "responses has no budget of tokens" });

function thinks(name: string, model: string, reasoning: Reasoning): Feature {
  return {
    name,
    model,
    steps: [
      () => ({
        question: { turns: [WHY], reasoning },
        answer: { text: "Why is it so?", reasoning: "shown", end: "stop" },
      }),
    ],
  };
}

const tools = [WEATHER, TIDES];
const ASK = says("Compare weather and tides.");
const AGAIN = says("And tomorrow, weather and tides?");

function asks(turns: readonly Turn[]): Question {
  return { turns, tools, reasoning: { effort: "medium", shown: true } };
}

function replayed(answer: Answer | undefined): Turn {
  return { role: "replay", native: answer?.native ?? [] };
}

function resultsOf(answer: Answer | undefined): Turn {
  const results = (answer?.calls ?? []).map(
    (call, at): Result => ({ call, parts: [{ kind: "text", text: `result ${at}` }] }),
  );
  return { role: "results", results };
}

/** An answer as some clients send it back: sealed items first, each seal before the item that it belongs to. */
function reordered(answer: Answer | undefined): Answer["native"] {
  const native = answer?.native ?? [];
  const is_seal = ({ type }: Answer["native"][number]) => type === "redacted_thinking" || type === "reasoning";
  return [...native.filter(is_seal), ...native.filter((part) => !is_seal(part))];
}

/**
 * Chat vendors seal nothing; every other vendor seals reasoning, and refuses reasoning that comes back changed. Clients
 * of other styles than chat keep only sealed reasoning, so for them the gateway seals the reasoning of chat vendors.
 */
function seals({ client, vendor }: Cell): "some" | "none" {
  return vendor === "chat" && client === "chat" ? "none" : "some";
}

const calling = (cell: Cell) => ({ calls: ["weather", "tides"], end: "tool_calls", seals: seals(cell) }) as const;

const SEALED: Feature["steps"] = [
  (cell): Step => ({ question: asks([ASK]), answer: calling(cell) }),
  (_cell, [first]): Step => ({
    question: asks([ASK, replayed(first), resultsOf(first)]),
    answer: { text: "result 0; result 1", end: "stop", calls: [] },
  }),
  (cell, [first, second]): Step => ({
    question: asks([ASK, replayed(first), resultsOf(first), replayed(second), AGAIN]),
    answer: calling(cell),
  }),
  (_cell, [first, second, third]): Step => ({
    question: asks([
      ASK,
      replayed(first),
      resultsOf(first),
      replayed(second),
      AGAIN,
      replayed(third),
      resultsOf(third),
    ]),
    answer: { text: "result 0; result 1", end: "stop", calls: [] },
  }),
];

export const reasoning: Section = {
  title: "Reasoning",
  features: [
    thinks("low effort", "reason", { effort: "low", shown: true }),
    thinks("high effort", "reason", { effort: "high", shown: true }),
    thinks("effort, on a model that has levels only", "reason-levels", { effort: "medium", shown: true }),
    thinks("effort, on a model that has a budget only", "reason-budget", { effort: "medium", shown: true }),
    { ...thinks("a budget", "reason", { budget_tokens: 2048, shown: true }), skip: NO_BUDGET },
    {
      ...thinks("a budget, on a model that has levels only", "reason-levels", { budget_tokens: 2048, shown: true }),
      skip: NO_BUDGET,
    },
    {
      name: "turned off",
      model: "reason",
      steps: [
        () => ({
          question: { turns: [WHY], reasoning: { effort: "none" } },
          answer: { text: "Why is it so?", reasoning: "hidden", seals: "none", end: "stop" },
        }),
      ],
    },
    { name: "signed or encrypted, over four turns with tools", model: "reason", steps: SEALED },
    {
      name: "signed, its parts returned in another order",
      model: "reason",
      steps: [
        SEALED[0] as Feature["steps"][number],
        (_cell, [first]): Step => ({
          question: asks([ASK, { role: "replay", native: reordered(first) }, resultsOf(first)]),
          answer: { text: "result 0; result 1", end: "stop", calls: [] },
        }),
      ],
      skip: ({ client, vendor }) => {
        if (client === "chat") return "an answer of chat has no order";
        return vendor === "gemini" ? null : "the vendor itself has rules of order";
      },
    },
    {
      name: "withheld by the vendor, only its sealed form sent along",
      model: "redacted",
      steps: SEALED.slice(0, 2),
      skip: ({ vendor }) => (vendor === "chat" ? "vendors of chat completions seal nothing" : null),
    },
    {
      name: "reasoning, text and calls in one answer",
      model: "everything",
      steps: [
        () => ({
          question: asks([ASK]),
          answer: { text: "Compare weather", reasoning: "shown", calls: ["weather", "tides"], end: "tool_calls" },
        }),
      ],
    },
  ],
};
