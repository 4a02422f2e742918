import type { Protocol } from "../../../src/core/endpoints.ts";
import { isObject } from "../../../src/core/json.ts";

/** What the gateway asked the vendor for, as far as it has come. */
export interface Asked {
  readonly protocol: Protocol;
  readonly stream: boolean;
  /** The number in the upstream model's name, `m17`; null where it cannot be told. */
  readonly slot: number | null;
  /** The parsed body; null where it is no JSON. */
  readonly body: Readonly<Record<string, unknown>> | null;
}

const PATHS: readonly [pattern: RegExp, protocol: Protocol][] = [
  [/\/chat\/completions$/, "chat-completions"],
  [/\/responses$/, "responses"],
  [/\/messages(?:\/count_tokens)?(?:\?.*)?$/, "messages"],
  [/\/models\/[^/]+:/, "gemini"],
  [/\/model\/[^/]+\//, "bedrock-converse"],
  [/\/decisions$/, "decisions"],
  [/\/systemone$/, "systemone"],
];
const SLOT_IN_PATH = /\/models?\/m(\d+)[:/]/;
const SLOT_IN_BODY = /"model": *"m(\d+)"/;

/** Reads a request's path and as much of its body as there is. Null for a path of no protocol. */
export function readAsked(path: string, body: string): Asked | null {
  const protocol = PATHS.find(([pattern]) => pattern.test(path))?.[1];
  if (protocol === undefined) return null;
  const parsed = parsedFrom(body);
  const named = typeof parsed?.model === "string" ? /^m(\d+)$/.exec(parsed.model) : SLOT_IN_BODY.exec(body);
  const found = SLOT_IN_PATH.exec(path) ?? named;
  const streams = parsed?.stream === true || /:streamGenerateContent|\/converse-stream/.test(path);
  return { protocol, stream: streams, slot: found === null ? null : Number(found[1]), body: parsed };
}

function parsedFrom(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const HEAD_LINE = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+: [\t\x20-\x7e\x80-\xff]*$/;

/** What is wrong with a request of the gateway as a message of HTTP or as JSON; null where all is right. */
export function complaintAbout(head: string, body: string): string | null {
  const [first = "", ...lines] = head.split("\r\n");
  if (!/^(?:POST|GET) \/[!-~]* HTTP\/1\.1$/.test(first))
    return `the request line is ${JSON.stringify(first.slice(0, 200))}`;
  const wrong = lines.find((line) => !HEAD_LINE.test(line));
  if (wrong !== undefined) return `a header is ${JSON.stringify(wrong.slice(0, 200))}`;
  if (lines.filter((line) => /^content-length:/i.test(line)).length !== 1) return "it has not one content-length";
  if (lines.filter((line) => /^host:/i.test(line)).length !== 1) return "it has not one host";
  if (head.includes("cm-") || body.includes("Bearer cm-")) return "a client's key came along";
  return parsedFrom(body) === null ? `the body is no JSON object: ${JSON.stringify(body.slice(0, 300))}` : null;
}
