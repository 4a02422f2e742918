import type { FormPart } from "../core/answer/form-part.ts";
import { GatewayError } from "../core/errors.ts";

const MAX_PARTS = 256;
const MAX_HEAD_BYTES = 4096;
const HEAD_END = Buffer.from("\r\n\r\n");
/** Printable ASCII (RFC 2046, 5.1.1 allows fewer; clients send more). */
const BOUNDARY = /;[\t ]*boundary=(?:"([ !#-~]{1,70})"|([!#-+\--:<-~]{1,70}))[\t ]*(?:;|$)/i;
const DISPOSITION = /^content-disposition:[\t ]*form-data[\t ]*(;.*)$/im;
const NAME = /;[\t ]*name=(?:"([^"\r\n]*)"|([^\s;"]+))/i;
const FILE_NAME = /;[\t ]*filename=(?:"([^"\r\n]*)"|([^\s;"]+))/i;
const TYPE = /^content-type:[\t ]*([^\s;]+)/im;

/**
 * The parts of a form (RFC 7578), as views of its bytes. Throws `invalid_json` where they cannot be separated: no
 * boundary, no end, bytes after the end, a part without a name.
 */
export function formParts(body: Buffer, content_type: string): readonly FormPart[] {
  const [, quoted, token] = BOUNDARY.exec(content_type) ?? [];
  const boundary = quoted ?? token;
  if (boundary === undefined) throw unreadable("its content-type names no boundary of 1 to 70 characters");
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const opening = delimiter.subarray(2);
  if (!body.subarray(0, opening.length).equals(opening)) throw unreadable("it does not begin with its boundary");
  const parts: FormPart[] = [];
  let at = opening.length;
  while (!isAt(body, at, "--")) {
    if (parts.length === MAX_PARTS) throw unreadable(`it has more than ${MAX_PARTS} parts`);
    if (!isAt(body, at, "\r\n")) throw unreadable("something follows a boundary on its line");
    const end = body.indexOf(delimiter, at);
    if (end === -1) throw unreadable("its last part has no end");
    parts.push(readPart(body.subarray(at + 2, Math.max(end, at + 2)), parts.length));
    at = end + delimiter.length;
  }
  const rest = body.length - at - 2;
  if (rest !== 0 && !(rest === 2 && isAt(body, at + 2, "\r\n"))) throw unreadable("something follows its end");
  return parts;
}

function isAt(body: Buffer, at: number, text: string): boolean {
  return body.toString("latin1", at, at + 2) === text;
}

function readPart(part: Buffer, index: number): FormPart {
  const end = part.subarray(0, MAX_HEAD_BYTES).indexOf(HEAD_END);
  if (end === -1) throw unreadable(`part ${index} has no head of at most ${MAX_HEAD_BYTES} bytes`);
  const head = part.toString("utf8", 0, end);
  const [, disposition = ""] = DISPOSITION.exec(head) ?? [];
  const [, quoted, token] = NAME.exec(disposition) ?? [];
  const name = quoted ?? token;
  if (name === undefined) throw unreadable(`part ${index} has no name`);
  const [, quoted_file, file] = FILE_NAME.exec(disposition) ?? [];
  return {
    name,
    file_name: quoted_file ?? file ?? null,
    content_type: TYPE.exec(head)?.[1]?.toLowerCase() ?? null,
    data: part.subarray(end + HEAD_END.length),
  };
}

function unreadable(why: string): GatewayError {
  return new GatewayError("invalid_json", `The body cannot be read as multipart/form-data: ${why}.`);
}
