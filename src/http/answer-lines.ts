import { detachedText } from "../core/texts.ts";
import { headerLine } from "../wire/grammar/header-line.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";

const type_lines = new Map<string, string>();
/** The content type of the last answer. The next one mostly has the same, and comparing two texts is cheaper than looking one up. */
let last = { content_type: "", line: "" };

/** The header line of a content type, cached: there are only a few. */
export function typeLine(content_type: string): string {
  if (content_type === last.content_type) return last.line;
  const known = type_lines.get(content_type);
  if (known !== undefined) {
    last = { content_type: detachedText(content_type), line: known };
    return known;
  }
  const line = headerLine("content-type", content_type);
  // Vendors' types are parts of the heads of their answers.
  if (type_lines.size < MOST_KNOWN_TYPES && line.length <= MOST_TYPE_LENGTH)
    type_lines.set(detachedText(content_type), detachedText(line));
  return line;
}

const MOST_KNOWN_TYPES = 20;
const MOST_TYPE_LENGTH = 200;

export function headerLines(headers: Readonly<Record<string, string>>): string {
  let lines = "";
  for (const name in headers) lines += headerLine(name, headers[name] as string);
  return lines;
}

/** JSON that no browser takes for anything else, and no cache keeps: it is for the owner of the credential. */
export const JSON_LINES =
  "content-type: application/json\r\nx-content-type-options: nosniff\r\ncache-control: no-store\r\n";

/** An answer in JSON. `headers` are its other header lines. */
export function jsonAnswer(status: number, headers: string, body: NonNullable<ServerAnswer["body"]>): ServerAnswer {
  return { status, headers: headers + JSON_LINES, body };
}
