import type { Cell } from "../cell.ts";
import { type Section, type Step, skipClients } from "../feature.ts";
import { type Question, says } from "../question.ts";
import { LONG_TEXT, LONG_TEXT_TOKENS } from "./words.ts";

const HELLO = says("Hello");

/** Each client's name for cache hints, as `x-camino-ignored` reports it. */
const HINT: Readonly<Partial<Record<Cell["client"], string>>> = {
  chat: "cache_control",
  responses: "prompt_cache_breakpoint",
  messages: "cache_control",
};
const TAKES_HINTS: readonly Cell["vendor"][] = ["messages", "bedrock"];
const TAKES_KEYS: readonly Cell["vendor"][] = ["chat", "responses"];

function hinted({ client, vendor }: Cell): Step {
  const question: Question = {
    turns: [
      {
        role: "user",
        parts: [
          { kind: "text", text: LONG_TEXT, cached: true },
          { kind: "text", text: "Hello" },
        ],
      },
    ],
  };
  const is_honoured = client === vendor || TAKES_HINTS.includes(vendor);
  return { question, answer: { text: "Hello", end: "stop" }, ignored: is_honoured ? [] : [HINT[client] ?? ""] };
}

function keyed({ vendor }: Cell): Step {
  const question: Question = { turns: [HELLO], body: { prompt_cache_key: "k-1" } };
  return { question, answer: { end: "stop" }, ignored: TAKES_KEYS.includes(vendor) ? [] : ["prompt_cache_key"] };
}

export const caches: Section = {
  title: "Usage and caches",
  features: [
    {
      name: "usage of cached tokens",
      model: "cached",
      steps: [
        () => ({
          question: { turns: [says(LONG_TEXT)] },
          answer: { cached: true, end: "stop", input_at_least: LONG_TEXT_TOKENS },
        }),
      ],
    },
    {
      name: "usage that the vendor does not tell",
      model: "no-usage",
      steps: [() => ({ question: { turns: [HELLO] }, answer: { end: "stop" }, receipt: { estimated: true } })],
    },
    {
      name: "usage that was not asked for is not shown",
      model: "echo",
      steps: [() => ({ question: { turns: [HELLO], usage: false }, answer: { end: "stop" } })],
      skip: ({ client, stream }) =>
        client === "chat" && stream ? null : "usage is always there, but in chat's streams",
    },
    {
      name: "cache hints",
      model: "echo",
      steps: [hinted],
      skip: skipClients({ gemini: "Gemini has no cache hints" }),
    },
    {
      name: "a cache key",
      model: "echo",
      steps: [keyed],
      skip: skipClients({ messages: "messages has no cache keys", gemini: "Gemini has no cache keys" }),
    },
  ],
};
