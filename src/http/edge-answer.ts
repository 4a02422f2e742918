import type { SentBody } from "../core/exchange.ts";
import type { AnswerSource } from "../pipeline/call.ts";

/** An answer as the edge hands it to the connection, which adds its date and how it is delimited. */
export interface EdgeAnswer {
  readonly status: number;
  /** Header lines as `headerLine` writes them, one after the other. */
  readonly headers: string;
  /** Null for an answer that has none by its status. */
  readonly body: SentBody | AnswerSource | null;
}

const NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
/** What would end the line, or is not latin1. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be sent.
const NOT_IN_VALUE = /[\0-\x08\n-\x1f\x7f\u0100-\uffff]/;

/** A header's line. Throws a TypeError for one that would be read as something else. */
export function headerLine(name: string, value: string): string {
  if (!NAME.test(name)) throw new TypeError(`an answer cannot have a header named ${JSON.stringify(name)}`);
  if (NOT_IN_VALUE.test(value)) throw new TypeError(`the answer's header '${name}' has a value that cannot be sent`);
  return `${name}: ${value}\r\n`;
}

const type_lines = new Map<string, string>();

/** The line of a content type: there are only a few. */
export function typeLine(content_type: string): string {
  const known = type_lines.get(content_type);
  if (known !== undefined) return known;
  const line = headerLine("content-type", content_type);
  if (type_lines.size < MOST_KNOWN_TYPES) type_lines.set(content_type, line);
  return line;
}

const MOST_KNOWN_TYPES = 20;

/** The lines of several headers. */
export function headerLines(headers: Readonly<Record<string, string>>): string {
  let lines = "";
  for (const name in headers) lines += headerLine(name, headers[name] as string);
  return lines;
}

/** An answer that is JSON. `headers` are its other lines. */
export function jsonAnswer(status: number, headers: string, body: string): EdgeAnswer {
  return { status, headers: `${headers}content-type: application/json\r\n`, body };
}

export function isWhole(body: EdgeAnswer["body"]): body is SentBody {
  return typeof body === "string" || body instanceof Uint8Array || Array.isArray(body);
}
