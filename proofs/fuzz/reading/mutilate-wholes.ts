import type { Protocol } from "../../../src/core/endpoints.ts";
import { chosen } from "./mutilate.ts";
import { callOf, type Reading } from "./sdk-readers.ts";

/** Ways to mutilate answers that come in one piece: what is left still says what the client is to read. */

type Fields = Record<string, unknown>;

const CALLS = [
  ["f", '{"q":"x"}'],
  ["g", "{}"],
] as const;

export interface WholeShape {
  readonly vendor: Protocol;
  readonly body: () => Fields;
  /** The objects of a body, each with the members that it may lack without a loss. */
  readonly holders: (body: Fields) => readonly (readonly [holder: Fields, names: readonly string[]])[];
  /** The list of what a body says, whose last entries are its calls. */
  readonly said: (body: Fields) => unknown[];
}

const CHAT: WholeShape = {
  vendor: "chat-completions",
  body: () => ({
    ...{ id: "c1", object: "chat.completion", created: 1_700_000_000, model: "m", system_fingerprint: "fp" },
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    choices: [
      {
        ...{ index: 0, logprobs: null, finish_reason: "tool_calls" },
        message: {
          ...{ role: "assistant", content: "Hello", refusal: null, annotations: [] },
          tool_calls: CALLS.map(([name, args], at) => ({
            ...{ index: at, id: `c${at}`, type: "function", function: { name, arguments: args } },
          })),
        },
      },
    ],
  }),
  holders: (body) => {
    const choice = at(body.choices, 0);
    const message = choice.message as Fields;
    return [
      [body, ["id", "object", "created", "model", "system_fingerprint", "usage"]],
      [body.usage as Fields, ["prompt_tokens", "completion_tokens", "total_tokens"]],
      [choice, ["index", "logprobs", "finish_reason"]],
      [message, ["role", "annotations"]],
      ...fieldsIn(message.tool_calls).map((call) => [call, ["id", "type", "index"]] as const),
    ];
  },
  said: (body) => (at(body.choices, 0).message as { tool_calls: unknown[] }).tool_calls,
};

const RESPONSES: WholeShape = {
  vendor: "responses",
  body: () => ({
    ...{ id: "resp_1", object: "response", created_at: 1_700_000_000, model: "m", status: "completed", error: null },
    ...{ incomplete_details: null, usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } },
    output: [
      {
        ...{ id: "msg_1", type: "message", role: "assistant", status: "completed" },
        content: [{ type: "output_text", text: "Hello", annotations: [], logprobs: [] }],
      },
      { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }] },
      ...CALLS.map(([name, args], at) => ({
        ...{ id: `fc_${at}`, type: "function_call", call_id: `call_${at}`, status: "completed", name, arguments: args },
      })),
    ],
  }),
  holders: (body) => [
    [body, ["id", "object", "created_at", "model", "usage", "status", "error", "incomplete_details"]],
    [body.usage as Fields, ["input_tokens", "output_tokens", "total_tokens"]],
    ...fieldsIn(body.output).map((item) => [item, ["id", "status", "role", "summary", "call_id"]] as const),
    ...fieldsIn(body.output).flatMap((item) =>
      fieldsIn(item.content).map((part) => [part, ["annotations", "logprobs"]] as const),
    ),
  ],
  said: (body) => body.output as unknown[],
};

const MESSAGES: WholeShape = {
  vendor: "messages",
  body: () => ({
    ...{ id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "tool_use", stop_sequence: null },
    usage: { input_tokens: 10, output_tokens: 5 },
    content: [
      { type: "text", text: "Hello", citations: null },
      { type: "thinking", thinking: "Hm", signature: "c2ln" },
      ...CALLS.map(([name, args], at) => ({
        type: "tool_use",
        id: `toolu_${at}`,
        name,
        input: JSON.parse(args) as object,
      })),
    ],
  }),
  holders: (body) => [
    [body, ["id", "type", "role", "model", "stop_reason", "stop_sequence", "usage"]],
    [body.usage as Fields, ["input_tokens", "output_tokens"]],
    ...fieldsIn(body.content).map((block) => [block, ["id", "thinking", "signature", "citations"]] as const),
  ],
  said: (body) => body.content as unknown[],
};

export const WHOLES: readonly WholeShape[] = [CHAT, RESPONSES, MESSAGES];

export function wholeOf(vendor: Protocol): WholeShape {
  return WHOLES.find((shape) => shape.vendor === vendor) ?? CHAT;
}

/** What becomes of a member that may be lacking. */
const CHANGES: readonly ((value: unknown) => unknown)[] = [
  () => undefined,
  () => null,
  (value) => (typeof value === "string" ? true : typeof value === "number" ? "7" : Array.isArray(value) ? {} : []),
];

/** Changes of the members that may be lacking, each by the three numbers that choose it, and how many ends of the list are cut off. */
export interface WholeMutilation {
  readonly members: readonly (readonly [holder: number, name: number, change: number])[];
  readonly cut: number;
}

/** An answer, mutilated, and what its client is to read all the same. */
export function mutilatedWhole(
  shape: WholeShape,
  { members, cut }: WholeMutilation,
): { body: Buffer; expected: Reading } {
  const body = shape.body();
  shape.said(body).splice(-cut, cut);
  for (const [holder, name, change] of members) {
    const holders = shape.holders(body).filter(([fields]) => typeof fields === "object" && fields !== null);
    const [fields, names]: readonly [Fields, readonly string[]] = chosen(holders, holder) ?? [{}, []];
    const member = chosen(
      names.filter((one) => fields[one] !== undefined),
      name,
    );
    if (member !== undefined && fields[member] !== null) fields[member] = chosen(CHANGES, change)?.(fields[member]);
  }
  const expected = {
    text: "Hello",
    calls: CALLS.slice(0, CALLS.length - cut).map(([name, args]) => callOf(name, args)),
  };
  return { body: Buffer.from(JSON.stringify(body)), expected };
}

function fieldsIn(list: unknown): Fields[] {
  return Array.isArray(list) ? list.filter((one): one is Fields => typeof one === "object" && one !== null) : [];
}

function at(list: unknown, index: number): Fields {
  return fieldsIn(list)[index] ?? {};
}
