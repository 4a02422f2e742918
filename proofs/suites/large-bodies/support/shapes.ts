import { randomBytes } from "node:crypto";
import zlib from "node:zlib";

/** A request of nearly 32 MiB, or one whose answer is as large. */
export interface Shape {
  readonly name: string;
  readonly path: string;
  /** The body's JSON, made when it is sent. */
  readonly body: () => string;
  /** A request to the same path that is sent before. `PREVIOUS` in the body and the path becomes the id of its answer. */
  readonly previous?: () => string;
  /** Whether that answer is in the database by then, and no longer in memory. */
  readonly is_written?: boolean;
  readonly method?: "GET";
  /** How the body is packed. */
  readonly coding?: "gzip" | "br" | "zstd";
  readonly content_type?: string;
}

/** A little less than the default limit of 32 MiB, to leave room for what is around. */
export const BYTES = 31.5 * 2 ** 20;

const CHAT = "/v1/chat/completions";
const RESPONSES = "/v1/responses";
const MESSAGES = "/v1/messages";
/** Models of vendors that speak all protocols, and of vendors of a single one: their requests are translated. */
const RELAYED = "all/big-small";
const BY_MESSAGES = "messages/big-small";
const BY_CHAT = "chat/big-small";
const BY_GEMINI = "gemini/big-small";

function user(model: string, content: string, more = ""): string {
  return `{"model":"${model}","max_tokens":16${more},"messages":[{"role":"user","content":${content}}]}`;
}

function input(model: string, items: string, more = ""): string {
  return `{"model":"${model}","max_output_tokens":16${more},"input":${items}}`;
}

/** As many of a text as fit, with commas between them. */
function many(text: string, most = Number.POSITIVE_INFINITY): string {
  return new Array(Math.min(most, Math.floor(BYTES / (Buffer.byteLength(text) + 1)))).fill(text).join(",");
}

function numbered(of: (index: number) => string, most = Number.POSITIVE_INFINITY): string {
  const parts: string[] = [];
  for (let size = 0; size < BYTES - 200 && parts.length < most; ) {
    const part = of(parts.length);
    parts.push(part);
    size += part.length + 1;
  }
  return parts.join(",");
}

const LONG = () => `"${"a".repeat(BYTES - 200)}"`;
/** Text that does not shrink much, of which an account may store as much. */
const NOISE = () => `"${randomBytes(14 * 2 ** 20).toString("base64")}"`;
const CHINESE = () => `"${"漢字".repeat(Math.floor((BYTES - 200) / 6))}"`;
const ESCAPED = () => `"${"\\u00e9".repeat(Math.floor((BYTES - 200) / 6))}"`;
const IMAGES = () => {
  const url = `data:image/png;base64,${"iVBORw0KGgo".repeat(95_000)}`;
  return `[${many(`{"type":"image_url","image_url":{"url":"${url}"}}`)},{"type":"text","text":"?"}]`;
};
const MESSAGE = '{"role":"user","content":"hi"}';
const QUESTION = '{"type":"predicate","instructions":"?"}';
const EMPTIES = () => `[${many("[]")}]`;
const tool = (parameters: string, name = "f") =>
  `{"type":"function","function":{"name":"${name}","parameters":${parameters}}}`;
const PROPERTIES = () => numbered((index) => `"p${index}":{"type":"string"}`);
const TURNS = 40_000;
const TOOL_CALLS = () =>
  numbered(
    (at) =>
      `{"role":"assistant","content":null,"tool_calls":[{"id":"c${at}","type":"function","function":{"name":"f","arguments":"{\\"a\\":${"1".repeat(200)}}"}}]},{"role":"tool","tool_call_id":"c${at}","content":"${"x".repeat(300)}"}`,
    TURNS,
  );

export const SHAPES: readonly Shape[] = [
  ...[false, true].flatMap((is_written): Shape[] => {
    const where = is_written ? "from the database" : "from memory";
    const shape = { path: RESPONSES, is_written, previous: () => input(BY_CHAT, NOISE()) };
    const goes_on = ',"previous_response_id":"PREVIOUS"';
    return [
      {
        name: `going on from a large conversation ${where}, relayed`,
        ...shape,
        body: () => input(RELAYED, '"hi"', goes_on),
      },
      {
        name: `going on from a large conversation ${where}, translated`,
        ...shape,
        body: () => input(BY_MESSAGES, '"hi"', goes_on),
      },
      {
        name: `going on from a conversation of 90,000 items ${where}, translated`,
        ...shape,
        previous: () => input(BY_CHAT, `[${many(`{"role":"user","content":"${"x".repeat(300)}"}`, 90_000)}]`),
        body: () => input(BY_MESSAGES, '"hi"', goes_on),
      },
      {
        name: `referring to an item of a large answer ${where}`,
        ...shape,
        previous: () => input("chat/big-text", '"hi"'),
        body: () => input(BY_MESSAGES, '[{"type":"item_reference","id":"ITEM"}]'),
      },
      {
        name: `the items of a large conversation ${where}`,
        ...shape,
        path: `${RESPONSES}/PREVIOUS/input_items`,
        method: "GET",
        body: () => "",
      },
      {
        name: `a large response ${where}`,
        ...shape,
        path: `${RESPONSES}/PREVIOUS`,
        method: "GET",
        previous: () => input("chat/big-text", '"hi"'),
        body: () => "",
      },
    ];
  }),
  { name: "chat, one long text, relayed", path: CHAT, body: () => user(RELAYED, LONG()) },
  { name: "chat, one long text, relayed, streamed", path: CHAT, body: () => user(RELAYED, LONG(), ',"stream":true') },
  { name: "chat, one long text, translated to messages", path: CHAT, body: () => user(BY_MESSAGES, LONG()) },
  { name: "chat, one long text, translated to gemini", path: CHAT, body: () => user(BY_GEMINI, LONG()) },
  { name: "chat, Chinese text, relayed", path: CHAT, body: () => user(RELAYED, CHINESE()) },
  { name: "chat, Chinese text, translated to messages", path: CHAT, body: () => user(BY_MESSAGES, CHINESE()) },
  { name: "chat, escaped text, translated to messages", path: CHAT, body: () => user(BY_MESSAGES, ESCAPED()) },
  { name: "chat, images, relayed", path: CHAT, body: () => user(RELAYED, IMAGES()) },
  { name: "chat, images, translated to messages", path: CHAT, body: () => user(BY_MESSAGES, IMAGES()) },
  {
    name: "chat, a million messages",
    path: CHAT,
    body: () => `{"model":"${RELAYED}","messages":[${many(MESSAGE)}]}`,
  },
  {
    name: "chat, a million messages, the last one wrong",
    path: CHAT,
    body: () => `{"model":"${RELAYED}","messages":[${many(MESSAGE)},{"role":"x"}]}`,
  },
  {
    name: "chat, 90,000 messages, translated to messages",
    path: CHAT,
    body: () =>
      `{"model":"${BY_MESSAGES}","max_tokens":16,"messages":[${many(`{"role":"user","content":"${"x".repeat(300)}"}`, 90_000)}]}`,
  },
  {
    name: "chat, 40,000 tool calls and results, translated to messages",
    path: CHAT,
    body: () => `{"model":"${BY_MESSAGES}","max_tokens":16,"messages":[${MESSAGE},${TOOL_CALLS()}]}`,
  },
  {
    name: "chat, two million members",
    path: CHAT,
    body: () => user(RELAYED, '"hi"', `,${numbered((at) => `"m${at}":1`)}`),
  },
  {
    name: "chat, 200,000 levels",
    path: CHAT,
    body: () => user(RELAYED, '"hi"', `,"x":${"[".repeat(200_000)}${"]".repeat(200_000)},"y":${LONG()}`),
  },
  {
    name: "chat, eleven million empty lists in an unknown member, relayed",
    path: CHAT,
    body: () => user(RELAYED, '"hi"', `,"x":${EMPTIES()}`),
  },
  {
    name: "chat, 4,000 tools, relayed",
    path: CHAT,
    body: () =>
      user(
        RELAYED,
        '"hi"',
        `,"tools":[${numbered((at) => tool(`{"type":"object","description":"${"d".repeat(7900)}"}`, `f${at}`), 4000)}]`,
      ),
  },
  {
    name: "chat, a schema of a million properties, translated to messages",
    path: CHAT,
    body: () => user(BY_MESSAGES, '"hi"', `,"tools":[${tool(`{"type":"object","properties":{${PROPERTIES()}}}`)}]`),
  },
  { name: "chat, one long text in gzip, relayed", path: CHAT, body: () => user(RELAYED, LONG()), coding: "gzip" },
  { name: "chat, one long text in zstd, relayed", path: CHAT, body: () => user(RELAYED, LONG()), coding: "zstd" },
  { name: "messages, one long text, relayed", path: MESSAGES, body: () => user(RELAYED, LONG()) },
  {
    name: "messages, one long text, translated to chat, streamed",
    path: MESSAGES,
    body: () => user(BY_CHAT, LONG(), ',"stream":true'),
  },
  {
    name: "messages, 90,000 messages, translated to chat",
    path: MESSAGES,
    body: () =>
      `{"model":"${BY_CHAT}","max_tokens":16,"messages":[${many(`{"role":"user","content":"${"x".repeat(300)}"}`, 90_000)}]}`,
  },
  {
    name: "messages, count_tokens, one long text",
    path: `${MESSAGES}/count_tokens`,
    body: () => `{"model":"${BY_CHAT}","messages":[{"role":"user","content":${LONG()}}]}`,
  },
  { name: "responses, one long text, relayed", path: RESPONSES, body: () => input(RELAYED, LONG()) },
  {
    name: "responses, one long text, not stored, translated to chat",
    path: RESPONSES,
    body: () => input(BY_CHAT, LONG(), ',"store":false'),
  },
  {
    name: "responses, long instructions, translated to chat, streamed",
    path: RESPONSES,
    body: () => input(BY_CHAT, '"hi"', `,"stream":true,"instructions":${LONG()}`),
  },
  {
    name: "responses, a schema of a million properties, stored, translated to chat",
    path: RESPONSES,
    body: () =>
      input(
        BY_CHAT,
        '"hi"',
        `,"tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{${PROPERTIES()}}}}]`,
      ),
  },
  {
    name: "responses, 90,000 items, translated to messages",
    path: RESPONSES,
    body: () => input(BY_MESSAGES, `[${many(`{"role":"user","content":"${"x".repeat(300)}"}`, 90_000)}]`),
  },
  {
    name: "decisions, one long text",
    path: "/v1/decisions",
    body: () => `{"model":"decider/yes","input":${LONG()},"questions":[${QUESTION}]}`,
  },
  {
    name: "decisions, Chinese text",
    path: "/v1/decisions",
    body: () => `{"model":"decider/yes","input":${CHINESE()},"questions":[${QUESTION}]}`,
  },
  {
    name: "decisions, long instructions, in eight calls",
    path: "/v1/decisions",
    body: () =>
      `{"model":"decider/yes","input":"hi","questions":[${new Array(4).fill(`{"type":"predicate","instructions":"${"a".repeat(BYTES / 4 - 200)}"}`).join(",")}]}`,
  },
  {
    name: "decisions, one long text, by a vendor",
    path: "/v1/decisions",
    body: () => `{"model":"decisions/big-small","input":${LONG()},"questions":[${QUESTION}]}`,
  },
  {
    name: "decisions, Chinese text, by a vendor",
    path: "/v1/decisions",
    body: () => `{"model":"decisions/big-small","input":${CHINESE()},"questions":[${QUESTION}]}`,
  },
  {
    name: "decisions, 90,000 parts, by a vendor",
    path: "/v1/decisions",
    body: () =>
      `{"model":"decisions/big-small","input":[{"role":"user","content":[${many(`{"type":"input_text","text":"${"x".repeat(300)}"}`, 90_000)}]}],"questions":[${QUESTION}]}`,
  },
  {
    name: "systemone, Chinese text, by a vendor",
    path: "/v1/systemone",
    body: () =>
      `{"model":"systemone/big-small","state":${CHINESE()},"questions":{"q":{"type":"noul","instructions":"?"}}}`,
  },
  { name: "an answer of one long text, relayed", path: CHAT, body: () => user("all/big-text", '"hi"') },
  { name: "an answer of one long text, translated", path: CHAT, body: () => user("messages/big-text", '"hi"') },
  { name: "an answer of Chinese text, relayed", path: CHAT, body: () => user("all/big-words", '"hi"') },
  { name: "an answer of Chinese text, messages to chat", path: MESSAGES, body: () => user("chat/big-words", '"hi"') },
  {
    name: "an answer of 450,000 tokens with log-probabilities, relayed",
    path: CHAT,
    body: () => user("all/big-tokens", '"hi"', ',"logprobs":true'),
  },
  {
    name: "an event of a text of 1 MiB, chat, relayed",
    path: CHAT,
    body: () => user("all/big-delta", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of a text of 1 MiB, chat from messages",
    path: CHAT,
    body: () => user("messages/big-delta", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of a text of 1 MiB, messages, relayed",
    path: MESSAGES,
    body: () => user("all/big-delta", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of a text of 1 MiB, messages from chat",
    path: MESSAGES,
    body: () => user("chat/big-delta", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of a text of 1 MiB, responses, relayed",
    path: RESPONSES,
    body: () => input("all/big-delta", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of a text of 1 MiB, responses from chat",
    path: RESPONSES,
    body: () => input("chat/big-delta", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of 1.4 million empty lists, chat, relayed",
    path: CHAT,
    body: () => user("all/big-values", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of 1.4 million empty lists, chat from messages",
    path: CHAT,
    body: () => user("messages/big-values", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of 1.4 million empty lists, messages, relayed",
    path: MESSAGES,
    body: () => user("all/big-values", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of 1.4 million empty lists, messages from chat",
    path: MESSAGES,
    body: () => user("chat/big-values", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of 1.4 million empty lists, responses, relayed",
    path: RESPONSES,
    body: () => input("all/big-values", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of 1.4 million empty lists, responses from chat",
    path: RESPONSES,
    body: () => input("chat/big-values", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of 500,000 objects, chat, relayed",
    path: CHAT,
    body: () => user("all/big-members", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of 500,000 objects, chat from messages",
    path: CHAT,
    body: () => user("messages/big-members", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of 500,000 objects, messages, relayed",
    path: MESSAGES,
    body: () => user("all/big-members", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of 500,000 objects, messages from chat",
    path: MESSAGES,
    body: () => user("chat/big-members", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of 500,000 objects, responses, relayed",
    path: RESPONSES,
    body: () => input("all/big-members", '"hi"', ',"stream":true'),
  },
  {
    name: "an event of 500,000 objects, responses from chat",
    path: RESPONSES,
    body: () => input("chat/big-members", '"hi"', ',"stream":true'),
  },
  {
    name: "an answer of one long text, responses from chat",
    path: RESPONSES,
    body: () => input("chat/big-text", '"hi"'),
  },
];

/** A shape's body as it is sent. */
export function bytesOf({ body, coding }: Pick<Shape, "body" | "coding">): Buffer {
  const bytes = Buffer.from(body());
  if (coding === "gzip") return zlib.gzipSync(bytes, { level: 1 });
  if (coding === "br") return zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } });
  return coding === "zstd" ? zlib.zstdCompressSync(bytes) : bytes;
}
