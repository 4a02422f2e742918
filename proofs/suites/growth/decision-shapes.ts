import { type Endpoint, type Fields, named, type RequestShape, times } from "./shape.ts";

type Write = (count: number) => Fields;

const decisions: Readonly<Record<string, Write>> = {
  messages: (count) => ({ input: times(count, () => ({ role: "user", content: "Hi" })) }),
  "parts of a message": (count) => ({
    input: [{ role: "user", content: times(count, () => ({ type: "input_text", text: "Hi" })) }],
  }),
  "parts of data": (count) => ({
    input: [{ role: "user", content: times(count, (at) => ({ type: "input_json", data: { at } })) }],
  }),
  "messages, the last of which is wrong": (count) => ({
    input: [...times(count, () => ({ role: "user", content: "Hi" })), { role: "user" }],
  }),
  "letters of the input": (count) => ({ input: "a ".repeat(count * 100) }),
  "unknown members": (count) => named(count, (at) => at),
};
const systemone: Readonly<Record<string, Write>> = {
  "members of the state": (count) => ({ state: named(count, (at) => at) }),
  "texts of the state": (count) => ({ state: times(count, () => ({ type: "text", text: "Hi" })) }),
  "items of the state": (count) => ({ state: times(count, (at) => ({ at })) }),
  "letters of the state": (count) => ({ state: "a ".repeat(count * 100) }),
  "names of images in the state": (count) => ({
    state: `<image:${"0".repeat(32)}>`.repeat(count),
    assets: { a: { format: "png", data_base64: "iVBORw0KGgAA" } },
  }),
};

function decisionShapes(endpoint: Endpoint, base: Fields, all: Readonly<Record<string, Write>>): RequestShape[] {
  return Object.entries(all).map(([name, write]) => ({
    name: `${endpoint}: ${name}`,
    endpoint,
    ...(/is wrong|unknown/.test(name) && { is_refused: true as const }),
    write: (count) => JSON.stringify({ ...base, ...write(count) }),
  }));
}

/** The ways in which a decision request can grow. */
export const DECISION_SHAPES: readonly RequestShape[] = [
  ...decisionShapes(
    "decisions",
    { model: "m", input: "Hi", questions: [{ type: "predicate", name: "a", instructions: "Is it?" }] },
    decisions,
  ),
  ...decisionShapes(
    "systemone",
    { model: "m", state: "Hi", questions: { a: { type: "noul", instructions: "Is it?" } } },
    systemone,
  ),
];
