import type { GenerationEndpoint } from "../../../src/core/endpoints.ts";
import type { Draw } from "../../torture/draw.ts";

/**
 * Requests as programs of each style write them, drawn at random: histories of other models with ids of every kind, results
 * that come late and in any order, schemas of MCP servers, choices, caps, formats. Each is legal for some vendor of its
 * style.
 */

type Wire = Record<string, unknown>;

interface Call {
  readonly id: string;
  readonly name: string;
}

/** What happens in a conversation: somebody speaks, or tools are called and give their results. */
type Step =
  | { readonly kind: "says"; readonly role: "user" | "assistant" | "system"; readonly picture: boolean }
  | { readonly kind: "calls"; readonly calls: readonly Call[] }
  | { readonly kind: "result"; readonly call: Call };

const PIXEL = "iVBORw0KGgo=";
const NAMES = ["look", "find_it", "a-b"];
const TEXT = { type: "string" };
const SHAPE = (kind: string) => ({
  type: "object",
  properties: { kind: { const: kind }, n: TEXT },
  required: ["kind"],
});

/** Schemas that tools have in public reports of refused requests. */
export const TOOL_SCHEMAS: readonly Wire[] = [
  { type: "object", properties: { q: TEXT }, required: ["q"], additionalProperties: false },
  { type: "object", properties: {} },
  { type: "object", properties: { a: TEXT, b: TEXT }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
  { type: "object", oneOf: [SHAPE("a"), SHAPE("b")] },
  { anyOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }], $defs: { A: SHAPE("a"), B: SHAPE("b") } },
  { type: "object", allOf: [{ properties: { a: TEXT } }, { properties: { b: TEXT }, required: ["b"] }] },
  { $ref: "#/definitions/A", definitions: { A: SHAPE("a") } },
  { properties: { a: { $ref: "#/$defs/A", title: "A", description: "d" } }, $defs: { A: { enum: ["x", null] } } },
  { type: "object", properties: { h: { type: "object" }, l: { type: "array", items: { $ref: "#/properties/h" } } } },
  { type: "object", properties: { a: { const: { x: 1 } }, b: { const: null }, c: { enum: [true] } } },
  { type: "object", properties: { a: { $ref: "#/$defs/None" }, b: { $ref: "https://x.example/s.json" } } },
  {
    type: "object",
    properties: { n: { $ref: "#/$defs/N" } },
    required: ["n"],
    $defs: { N: { type: "object", properties: { next: { $ref: "#/$defs/N" } }, required: ["next"] } },
  },
  { type: "object", properties: { child: { $ref: "#" } }, required: ["child"] },
  { type: "object", properties: { a: TEXT }, not: { required: ["b"] } },
  { type: ["object", "null"], properties: { "a/b": { $ref: "#/$defs/a~1b" } }, $defs: { "a/b": TEXT } },
];

type IdStyle = (turn: number, nth: number) => string;
const ID_STYLES: readonly IdStyle[] = [
  (turn, nth) => `call_${turn}_${nth}`,
  (_turn, nth) => `call_${nth}`,
  () => "call_0",
  (turn, nth) => (nth === 0 ? "" : `call_${turn}_${nth}`),
  (turn, nth) => `functions.look:${turn + nth}`,
  (turn, nth) => `fc_${"0f0e50a1476a6c35006912c58dc9f8".repeat(3)}_${turn}_${nth}`,
  (_turn, nth) => `${nth} ünd/so`,
];

function drawSteps(draw: Draw): readonly Step[] {
  const idOf = draw.one(ID_STYLES);
  const steps: Step[] = [says(draw, "user")];
  for (let turn = draw.whole(0, 3); turn > 0; turn -= 1) {
    if (draw.chance(0.4)) steps.push(says(draw, "assistant"), says(draw, "user"));
    const calls = Array.from({ length: draw.whole(1, 3) }, (_, nth) => ({
      id: idOf(turn, nth),
      name: draw.one(NAMES),
    }));
    steps.push({ kind: "calls", calls });
    const is_parted = draw.chance(0.3);
    // Results of one id are told apart by their order alone.
    const row =
      new Set(calls.map(({ id }) => id)).size === calls.length && draw.chance(0.4) ? calls.toReversed() : calls;
    for (const call of row) {
      if (is_parted && draw.chance(0.5)) steps.push(says(draw, draw.chance(0.7) ? "user" : "system"));
      steps.push({ kind: "result", call });
    }
    if (draw.chance(0.5)) steps.push(says(draw, "user"));
  }
  if (draw.chance(0.8)) steps.push(says(draw, "user"));
  return steps;
}

function says(draw: Draw, role: "user" | "assistant" | "system"): Step {
  return { kind: "says", role, picture: role === "user" && draw.chance(0.2) };
}

/** The functions of a request, the choice among them, and the format of the answer. */
interface Wishes {
  readonly tools: readonly { readonly name: string; readonly schema: Wire }[];
  readonly choice: "auto" | "none" | "required" | "named" | null;
  readonly format: "object" | "schema" | null;
  readonly cap: number | null;
  readonly temperature: number | null;
}

function drawWishes(draw: Draw): Wishes {
  const tools = NAMES.slice(0, draw.whole(0, NAMES.length)).map((name) => ({ name, schema: draw.one(TOOL_SCHEMAS) }));
  return {
    tools,
    choice: tools.length > 0 && draw.chance(0.5) ? draw.one(["auto", "none", "required", "named"] as const) : null,
    format: draw.chance(0.2) ? draw.one(["object", "schema"] as const) : null,
    cap: draw.chance(0.5) ? draw.whole(16, 3000) : null,
    temperature: draw.chance(0.3) ? draw.one([0, 0.5, 1]) : null,
  };
}

const CLOSED = { type: "object", properties: { q: TEXT }, required: ["q"], additionalProperties: false };
const SAID = "Say it in JSON.";

/** A body of the style; equal draws make equal bodies. */
export function styleBody(style: GenerationEndpoint, draw: Draw): Wire {
  const steps = drawSteps(draw);
  const wishes = drawWishes(draw);
  const written = WRITERS[style](steps, wishes, draw);
  const address = { model: "acme/swift", stream: draw.chance(0.5) };
  return style === "generateContent" ? { ...written, "@address": address } : { ...address, ...written };
}

const given = (members: Wire): Wire =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));

const WRITERS: Readonly<Record<GenerationEndpoint, (steps: readonly Step[], wishes: Wishes, draw: Draw) => Wire>> = {
  "chat.completions": (steps, { tools, choice, format, cap, temperature }) => ({
    messages: steps.map((step): Wire => {
      if (step.kind === "calls") {
        const tool_calls = step.calls.map(({ id, name }) => ({
          id,
          type: "function",
          function: { name, arguments: "{}" },
        }));
        return { role: "assistant", content: null, tool_calls };
      }
      if (step.kind === "result") return { role: "tool", tool_call_id: step.call.id, content: "done" };
      if (!step.picture) return { role: step.role, content: SAID };
      const image_url = { url: `data:image/png;base64,${PIXEL}` };
      return {
        role: step.role,
        content: [
          { type: "text", text: SAID },
          { type: "image_url", image_url },
        ],
      };
    }),
    ...given({
      tools:
        tools.length > 0
          ? tools.map(({ name, schema }) => ({ type: "function", function: { name, parameters: schema } }))
          : null,
      tool_choice: choice === "named" ? { type: "function", function: { name: tools[0]?.name } } : choice,
      response_format:
        format === "object"
          ? { type: "json_object" }
          : format && { type: "json_schema", json_schema: { name: "out", schema: CLOSED, strict: true } },
      max_completion_tokens: cap,
      temperature,
    }),
  }),
  responses: (steps, { tools, choice, format, cap, temperature }) => ({
    store: false,
    input: steps.flatMap((step): Wire[] => {
      if (step.kind === "calls")
        return step.calls.map(({ id, name }) => ({ type: "function_call", call_id: id, name, arguments: "{}" }));
      if (step.kind === "result") return [{ type: "function_call_output", call_id: step.call.id, output: "done" }];
      if (step.role === "assistant") return [{ role: step.role, content: [{ type: "output_text", text: SAID }] }];
      const picture = { type: "input_image", image_url: `data:image/png;base64,${PIXEL}` };
      return [{ role: step.role, content: [{ type: "input_text", text: SAID }, ...(step.picture ? [picture] : [])] }];
    }),
    ...given({
      tools:
        tools.length > 0
          ? tools.map(({ name, schema }) => ({ type: "function", name, parameters: schema, strict: false }))
          : null,
      tool_choice: choice === "named" ? { type: "function", name: tools[0]?.name } : choice,
      text:
        format === "object"
          ? { format: { type: "json_object" } }
          : format && { format: { type: "json_schema", name: "out", schema: CLOSED, strict: true } },
      max_output_tokens: cap,
      temperature,
    }),
  }),
  messages: (steps, { tools, choice, cap, temperature }, draw) => ({
    max_tokens: cap ?? 2048,
    messages: inTurns(steps, draw),
    ...given({
      tools: tools.length > 0 ? tools.map(({ name, schema }) => ({ name, input_schema: schema })) : null,
      tool_choice: choice && { type: CHOICES[choice], ...(choice === "named" && { name: tools[0]?.name }) },
      temperature,
    }),
  }),
  generateContent: (steps, { tools, choice, format, cap, temperature }) => ({
    contents: steps.map((step): Wire => {
      if (step.kind === "calls")
        return { role: "model", parts: step.calls.map(({ id, name }) => ({ functionCall: { id, name, args: {} } })) };
      if (step.kind === "result") {
        const { id, name } = step.call;
        return { role: "user", parts: [{ functionResponse: { id, name, response: { output: "done" } } }] };
      }
      const picture = { inlineData: { mimeType: "image/png", data: PIXEL } };
      const role = step.role === "assistant" ? "model" : "user";
      return { role, parts: [{ text: SAID }, ...(step.picture ? [picture] : [])] };
    }),
    ...given({
      tools:
        tools.length > 0
          ? [{ functionDeclarations: tools.map(({ name, schema }) => ({ name, parametersJsonSchema: schema })) }]
          : null,
      toolConfig: choice && {
        functionCallingConfig: {
          mode: MODES[choice],
          ...(choice === "named" && { allowedFunctionNames: [tools[0]?.name] }),
        },
      },
      generationConfig: given({
        ...(format && { responseMimeType: "application/json" }),
        ...(format === "schema" && { responseJsonSchema: CLOSED }),
        maxOutputTokens: cap,
        temperature,
      }),
    }),
  }),
};

const MODES = { auto: "AUTO", none: "NONE", required: "ANY", named: "ANY" } as const;
const CHOICES = { auto: "auto", none: "none", required: "any", named: "tool" } as const;

/** Turns of messages: what the user says in a row is one turn, or several. */
function inTurns(steps: readonly Step[], draw: Draw): Wire[] {
  const turns: { role: string; content: Wire[] }[] = [];
  for (const step of steps) {
    const role =
      step.kind === "calls" ? "assistant" : step.kind === "says" && step.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    const content = blocksOf(step);
    if (last?.role === role && (role === "assistant" || draw.chance(0.7))) last.content.push(...content);
    else turns.push({ role, content });
  }
  return turns;
}

function blocksOf(step: Step): Wire[] {
  if (step.kind === "calls") return step.calls.map(({ id, name }) => ({ type: "tool_use", id, name, input: {} }));
  if (step.kind === "result") return [{ type: "tool_result", tool_use_id: step.call.id, content: "done" }];
  const source = { type: "base64", media_type: "image/png", data: PIXEL };
  return [{ type: "text", text: SAID }, ...(step.picture ? [{ type: "image", source }] : [])];
}
