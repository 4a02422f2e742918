import { isObject } from "../../../src/core/json.ts";
import type { Draw } from "../../torture/draw.ts";
import { mutateTree, namesIn, textOf, treeOf } from "../inputs/json-tree.ts";
import { mutateBytes } from "../inputs/mutate-bytes.ts";
import { mutateFrames } from "../inputs/mutate-frames.ts";
import { JSON_WORDS, SSE_WORDS } from "../inputs/odd-values.ts";
import type { Asked } from "./asked.ts";
import { type Framed, frameSoundly } from "./frame-answer.ts";
import { frameOddly } from "./frame-oddly.ts";
import { type Payload, recordedAnswer } from "./recorded-answers.ts";

/** How the vendor answers one request: bytes, pauses, and what becomes of the connection. */
export interface AnswerPlan extends Framed {
  /** What kind of answer it is, for the summary. */
  readonly kind: string;
  readonly status: number;
  /** Whether the answer begins before all of the request has come. */
  readonly early: boolean;
  readonly delay_ms: number;
}

const KINDS = [
  { weight: 40, kind: "sound" },
  { weight: 18, kind: "odd content" },
  { weight: 14, kind: "odd framing" },
  { weight: 10, kind: "failure" },
  { weight: 6, kind: "odd failure" },
  { weight: 6, kind: "broken off" },
  { weight: 4, kind: "other protocol" },
  { weight: 3, kind: "not JSON" },
  { weight: 2, kind: "stall" },
] as const;

const STATUSES = [400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529] as const;
const ODD_STATUSES = [199, 201, 202, 204, 205, 206, 300, 301, 302, 304, 307, 418, 451, 599] as const;
const PROTOCOLS = ["chat-completions", "responses", "messages", "gemini", "bedrock-converse"] as const;

/** By draws alone: equal draws and equal requests get equal answers. */
export function planAnswer(asked: Asked, marker: string, draw: Draw): AnswerPlan {
  const { kind } = draw.weighted(KINDS);
  const common = { kind, early: draw.chance(0.05), delay_ms: draw.chance(0.15) ? draw.whole(1, 60) : 0 };
  const small = recordedAnswer(asked, marker, draw);
  const recorded = !asked.stream && draw.chance(LARGE_SHARE) ? enlarged(small) : small;
  const sound = (payload: Payload, status = 200): AnswerPlan => ({
    ...common,
    status,
    ...frameSoundly(payload, status, draw),
  });
  switch (kind) {
    case "sound":
      return sound(recorded);
    case "odd content":
      return sound({ ...recorded, body: oddly(recorded.body, asked, draw) });
    case "odd framing":
      return { ...common, status: 200, ...frameOddly(recorded, draw.chance(0.8) ? 200 : draw.one(ODD_STATUSES), draw) };
    case "failure":
      return sound(failureBody(draw), draw.one(STATUSES));
    case "odd failure": {
      const status = draw.chance(0.6) ? draw.one(STATUSES) : draw.one(ODD_STATUSES);
      const { body } = failureBody(draw);
      return {
        ...common,
        status,
        ...frameOddly(
          { content_type: "application/json", body: mutateBytes(body, draw, { words: JSON_WORDS }) },
          status,
          draw,
        ),
      };
    }
    case "broken off":
      return { ...sound(recorded), ...brokenOff(frameSoundly(recorded, 200, draw), draw) };
    case "other protocol":
      return sound(recordedAnswer({ ...asked, protocol: draw.one(PROTOCOLS), stream: draw.chance(0.5) }, marker, draw));
    case "not JSON":
      return sound(
        draw.one([
          HTML,
          NOTHING,
          { content_type: "application/json", body: mutateBytes(recorded.body, draw, { words: JSON_WORDS }) },
        ]),
      );
    case "stall":
      return { ...common, status: 200, ...stalled(frameSoundly(recorded, 200, draw), draw) };
  }
}

/** Some answers are so large that other threads work on them (docs/adr/0027). */
const LARGE_SHARE = 0.03;
const PADDING = Buffer.alloc(600_000, " ");

function enlarged({ content_type, body }: Payload): Payload {
  return { content_type, body: Buffer.concat([body, PADDING]) };
}

const HTML: Payload = { content_type: "text/html", body: Buffer.from("<html><body>Bad gateway</body></html>") };
const NOTHING: Payload = { content_type: "application/json", body: Buffer.alloc(0) };

function oddly(body: Buffer, { stream, protocol }: Asked, draw: Draw): Buffer {
  if (stream)
    return draw.chance(0.7)
      ? mutateFrames(body, draw, body)
      : mutateBytes(body, draw, { words: SSE_WORDS, other: body });
  if (protocol === "bedrock-converse" && draw.chance(0.1)) return mutateBytes(body, draw, { words: JSON_WORDS });
  const parsed: unknown = JSON.parse(body.toString());
  const tree = treeOf(parsed);
  mutateTree(tree, draw, { names: namesIn([tree]), most_repeats: 50 });
  if (isObject(parsed) && draw.chance(0.4)) {
    const usage = tree.kind === "object" ? tree.members.find(({ key }) => /usage/i.test(key)) : undefined;
    if (usage !== undefined) mutateTree(usage.value, draw, { names: namesIn([usage.value]) });
  }
  return Buffer.from(textOf(tree));
}

function failureBody(draw: Draw): Payload {
  const message = draw.one([
    "Slow down.",
    "The key sk-wild-0123456789 is wrong.",
    "",
    "漢字 \u2028 \ud83d",
    "x".repeat(5000),
  ]);
  const type = draw.one(["invalid_request_error", "overloaded_error", "rate_limit_error", "api_error", "x"]);
  const error = draw.one([
    { message, type, code: null, param: null },
    { message, code: 400, status: "INVALID_ARGUMENT" },
    message,
    null,
    [],
    { message: 7 },
  ]);
  const body = draw.one([
    { error },
    { type: "error", error },
    { message, __type: type },
    { detail: [{ msg: message }] },
    [error],
    error,
  ]);
  return { content_type: "application/json", body: Buffer.from(JSON.stringify(body)) };
}

function brokenOff(framed: Framed, draw: Draw): Framed {
  const bytes = Buffer.concat(framed.pieces.map(({ bytes: piece }) => piece));
  const cut = bytes.subarray(0, draw.whole(0, Math.max(0, bytes.length - 1)));
  return { pieces: [{ bytes: cut, pause_ms: draw.one([0, 0, 5, 40]) }], ending: draw.chance(0.5) ? "close" : "reset" };
}

function stalled(framed: Framed, draw: Draw): Framed {
  return { ...brokenOff(framed, draw), ending: "stall" };
}
