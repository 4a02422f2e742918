import { type Fields, named, type RequestShape, times } from "./shape.ts";
import { CHAT, MESSAGES, RESPONSES, type Style } from "./styles.ts";

type Write = (count: number) => Fields;

/** JSON schemas and other values that grow. Every endpoint has members that take them. */
const SCHEMAS: Readonly<Record<string, (count: number) => Fields>> = {
  "properties, all required": (count) => ({
    type: "object",
    properties: named(count, () => ({ type: "string" })),
    required: Object.keys(named(count, () => 0)),
    additionalProperties: false,
  }),
  "properties, none required": (count) => ({
    type: "object",
    properties: named(count, () => ({ type: "string", minLength: 2 })),
    required: times(count, (at) => `other_${at}`),
    additionalProperties: false,
  }),
  "definitions in a chain": (count) => ({
    type: "object",
    additionalProperties: false,
    properties: { first: { $ref: "#/$defs/member_0" } },
    $defs: named(count, (at) => (at + 1 < count ? { $ref: `#/$defs/member_${at + 1}` } : { type: "string" })),
  }),
  "references to one definition": (count) => ({
    type: "object",
    additionalProperties: false,
    properties: named(count, () => ({ $ref: "#/$defs/one" })),
    $defs: { one: { type: "string" } },
  }),
  "values of an enum": (count) => ({ type: "string", enum: times(count, (at) => `value ${at}`) }),
  "variants of a union": (count) => ({ anyOf: times(count, (at) => ({ type: "string", const: `value ${at}` })) }),
};

const TEXTS: Readonly<Record<string, (count: number) => string>> = {
  "letters of a text": (count) => "a ".repeat(count * 100),
  "escapes in a text": (count) => '\\"'.repeat(count * 50),
  "backslashes in a text": (count) => "\\".repeat(count * 100),
  "brackets in a text": (count) => "[{".repeat(count * 50),
};

/** What grows in every style. */
function commonShapes({ endpoint, base, say, tool, format, stop }: Style): RequestShape[] {
  const shape = (name: string, write: Write, count?: number): RequestShape => ({
    name: `${endpoint}: ${name}`,
    endpoint,
    write: (size) => JSON.stringify({ ...base, ...write(size) }),
    ...(count !== undefined && { count }),
  });
  return [
    ...Object.entries(TEXTS).map(([name, write]) => shape(name, (count) => say(write(count)))),
    ...Object.entries(SCHEMAS).flatMap(([name, write]) => [
      shape(`${name} in a tool`, (count) => ({ tools: [tool(write(count), "look")] })),
      shape(`${name} in the format`, (count) => format(write(count))),
    ]),
    shape("tools", (count) => ({ tools: times(count, (at) => tool({ type: "object" }, `tool_${at}`)) }), 1000),
    shape("unknown members", (count) => named(count, (at) => at)),
    shape("unknown members with odd names", (count) => Object.fromEntries(times(count, (at) => [`漢\n${at}`, at]))),
    shape("members of an unknown member", (count) => ({ unknown: named(count, (at) => ({ at })) })),
    shape("members of the metadata", (count) => ({ metadata: named(count, String) })),
    shape("items of an unknown member", (count) => ({ unknown: times(count * 10, (at) => at) })),
    shape("letters of a name", (count) => ({ ["x".repeat(count * 100)]: 1 })),
    shape("letters of stop sequences", (count) => stop(times(64, () => `${"a".repeat(count)}b`))),
  ];
}

const hosted: RequestShape = {
  name: "responses: hosted tools",
  endpoint: "responses",
  count: 1000,
  write: (count) =>
    JSON.stringify({
      ...RESPONSES.base,
      tools: times(count, (at) => ({ type: at % 2 ? "web_search" : "file_search" })),
    }),
};
const brought: RequestShape = {
  name: "responses: tools that items bring",
  endpoint: "responses",
  count: 1000,
  write: (count) =>
    JSON.stringify({
      ...RESPONSES.base,
      input: times(count, (at) => ({
        type: "additional_tools",
        role: "developer",
        tools: [RESPONSES.tool({}, `tool_${at}`)],
      })),
    }),
};
const spaces: RequestShape = {
  name: "chat.completions: white space between members",
  endpoint: "chat.completions",
  write: (count) => JSON.stringify(CHAT.base).replaceAll(",", `,${" ".repeat(count * 100)}`),
};

/** The ways in which the members of a generation request can grow, but for its conversation. */
export const MEMBER_SHAPES: readonly RequestShape[] = [
  ...[CHAT, RESPONSES, MESSAGES].flatMap(commonShapes),
  ...[hosted, brought, spaces],
];
