import type { Cell } from "../cell.ts";
import { type Feature, type Section, type Step, skipClients } from "../feature.ts";
import { type Question, type Result, says, type Tool, type ToolChoice, type Turn } from "../question.ts";
import { PDF, PIXEL } from "./words.ts";

const PLACE = {
  type: "object",
  properties: { place: { type: "string" } },
  required: ["place"],
  additionalProperties: false,
};
const NOTHING = { type: "object", properties: {}, additionalProperties: false };

export const WEATHER: Tool = { kind: "function", name: "weather", schema: PLACE };
export const TIDES: Tool = { kind: "function", name: "tides", schema: PLACE };
const CLOCK: Tool = { kind: "function", name: "clock", schema: NOTHING };

const BOTH = [WEATHER, TIDES];
const ASK_BOTH = says("Ask for weather and tides.");

function calls(name: string, question: Question, expected: readonly string[], more: Partial<Feature> = {}): Feature {
  const end = expected.length === 0 ? "stop" : "tool_calls";
  return { name, model: "tools", steps: [() => ({ question, answer: { calls: expected, end } })], ...more };
}

function choice(name: string, tool_choice: ToolChoice, expected: readonly string[]): Feature {
  const turn = expected.length === 2 ? ASK_BOTH : says("Use a tool, weather.");
  return calls(`tool choice: ${name}`, { turns: [turn], tools: BOTH, tool_choice }, expected);
}

/**
 * Gemini has no setting for one tool call at a time: the gateway reports the parameter as ignored, and several may
 * come.
 */
function oneAtATime({ client, vendor }: Cell): Step {
  const question: Question = { turns: [ASK_BOTH], tools: BOTH, parallel: false };
  if (vendor !== "gemini") return { question, answer: { calls: ["weather"], end: "tool_calls" } };
  const field = client === "messages" ? "tool_choice.disable_parallel_tool_use" : "parallel_tool_calls";
  return { question, answer: { end: "tool_calls" }, ignored: [field] };
}

const MADE_UP = { id: "call_1", name: "weather", input: '{"place":"Rome"}', custom: false };
const CALLED: readonly Turn[] = [says("How is the weather?"), { role: "assistant", text: "", calls: [MADE_UP] }];

function given(result: Omit<Result, "call">, answer: Step["answer"]): Feature["steps"] {
  const turns: readonly Turn[] = [...CALLED, { role: "results", results: [{ ...result, call: MADE_UP }] }];
  return [() => ({ question: { turns, tools: [WEATHER] }, ...(answer && { answer }) })];
}

/** A PDF in a tool's result: for messages clients, a sentence replaces it when the vendor cannot take it there. */
function withPdf(reads_it: boolean): (cell: Cell) => Step {
  return ({ client, vendor }) => pdfStep(client !== "messages" || (reads_it && vendor === "messages"));
}

function pdfStep(goes_through: boolean): Step {
  const parts = [
    { kind: "text", text: "A file." },
    { kind: "document", source: PDF, filename: "report.pdf" },
  ] as const;
  const turns: readonly Turn[] = [...CALLED, { role: "results", results: [{ parts, call: MADE_UP }] }];
  return {
    question: { turns, tools: [WEATHER] },
    answer: { text: goes_through ? "A file." : "A document was left out here", end: "stop" },
    ignored: goes_through ? [] : ["messages.document"],
  };
}

/** A conversation whose second request answers the tool calls in the order in which they came. */
function answersCalls(asks: Turn, tools: readonly Tool[], expected: readonly string[]): Feature["steps"] {
  return [
    () => ({ question: { turns: [asks], tools }, answer: { calls: expected, end: "tool_calls" } }),
    (_cell, [first]) => {
      const results = (first?.calls ?? []).map(
        (call, at): Result => ({ call, parts: [{ kind: "text", text: `result ${at}` }] }),
      );
      const turns: readonly Turn[] = [
        asks,
        { role: "replay", native: first?.native ?? [] },
        { role: "results", results },
      ];
      const text = expected.map((_name, at) => `result ${at}`).join("; ");
      return { question: { turns, tools }, answer: { text, end: "stop", calls: [] } };
    },
  ];
}

const ALLOWED_ONLY = skipClients({ messages: "messages has no choice among some of the tools" });
const NO_CUSTOM = skipClients({
  messages: "messages has no tools that take free text",
  gemini: "Gemini has no tools that take free text",
});
const NO_SERIAL = skipClients({ gemini: "Gemini has no such setting" });
const RESULTS_OF_TEXT = skipClients({ chat: "chat's tool messages hold text only" });
const NO_MARK = "a failed call has no mark of its own, its text says so";

const HOSTED = { chat: "", responses: "web_search", messages: "web_search_20250305", gemini: "googleSearch" } as const;

/**
 * A tool that the vendor itself would run goes to vendors that have it; for other vendors it is left out and reported
 * as ignored.
 */
function hosted({ client, vendor }: Cell): Step {
  const type = HOSTED[client];
  const question: Question = { turns: [says("Hello")], tools: [{ kind: "hosted", type }] };
  const is_known = client === vendor;
  return { question, answer: { end: "stop", calls: [] }, ignored: is_known ? [] : [`tools.${type}`] };
}

export const tools: Section = {
  title: "Tools",
  features: [
    calls("one tool", { turns: [says("How is the weather?")], tools: [WEATHER] }, ["weather"]),
    calls("parallel calls", { turns: [ASK_BOTH], tools: BOTH }, ["weather", "tides"]),
    calls("the same tool twice at once", { turns: [says("Twice in parallel.")], tools: [WEATHER] }, [
      "weather",
      "weather",
    ]),
    { name: "one call at a time", model: "tools", steps: [oneAtATime], skip: NO_SERIAL },
    calls("a tool without parameters", { turns: [says("What time is it?")], tools: [CLOCK] }, ["clock"]),
    calls("text before the call", { turns: [says("How is the weather?")], tools: [WEATHER] }, ["weather"], {
      model: "tools-and-text",
    }),
    choice("auto", "auto", ["weather"]),
    choice("none", "none", []),
    choice("required", "required", ["weather"]),
    choice("one by name", { name: "tides" }, ["tides"]),
    { ...choice("some by name", { allowed: ["tides"] }, ["tides"]), skip: ALLOWED_ONLY },
    { name: "a result", model: "tools", steps: answersCalls(says("How is the weather?"), [WEATHER], ["weather"]) },
    { name: "results of parallel calls", model: "tools", steps: answersCalls(ASK_BOTH, BOTH, ["weather", "tides"]) },
    {
      name: "a result of several texts",
      model: "tools",
      steps: given(
        {
          parts: [
            { kind: "text", text: "21 degrees" },
            { kind: "text", text: "and rain" },
          ],
        },
        { text: "21 degrees", end: "stop" },
      ),
    },
    {
      name: "a result with an image",
      model: "vision",
      steps: given(
        {
          parts: [
            { kind: "text", text: "A picture." },
            { kind: "image", source: PIXEL },
          ],
        },
        { text: "image/png of 70 bytes", end: "stop" },
      ),
      skip: RESULTS_OF_TEXT,
    },
    { name: "a result with a PDF", model: "documents", steps: [withPdf(true)], skip: RESULTS_OF_TEXT },
    {
      name: "a result with a PDF, on a model that reads none",
      model: "no-documents",
      steps: [withPdf(false)],
      skip: skipClients({
        chat: "chat's tool messages hold text only",
        responses: "a file in responses goes to the vendor, whatever the model reads",
        gemini: "a file in Gemini's style goes to the vendor, whatever the model reads",
      }),
    },
    {
      name: "a failed call's result",
      model: "tools",
      steps: given(
        { parts: [{ kind: "text", text: "no such place" }], is_error: true },
        { text: "no such place", end: "stop" },
      ),
      skip: skipClients({ chat: NO_MARK, responses: NO_MARK }),
    },
    {
      name: "a custom tool",
      model: "tools",
      steps: answersCalls(says("Take a note."), [{ kind: "custom", name: "note" }], ["note"]),
      skip: NO_CUSTOM,
    },
    {
      name: "a tool that the vendor runs",
      model: "tools",
      steps: [hosted],
      skip: skipClients({ chat: "chat's tools are the client's own" }),
    },
  ],
};
