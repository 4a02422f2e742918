import type { FormPart } from "../../core/answer/form-part.ts";
import { randomBase62 } from "../../core/ids.ts";

/** A form as it is sent to a vendor. */
export interface OutgoingForm {
  readonly content_type: string;
  /** Heads, and between them the parts' data as they came. */
  readonly pieces: readonly Uint8Array[];
}

/** Writes parts as a form, whose boundary nobody knows before it is drawn. */
export function outgoingForm(parts: readonly FormPart[]): OutgoingForm {
  const boundary = `camino-${randomBase62(32)}`;
  const pieces = parts.flatMap((part, at) => [
    Buffer.from(`${at === 0 ? "" : "\r\n"}--${boundary}\r\n${headOf(part)}\r\n\r\n`),
    part.data,
  ]);
  return {
    content_type: `multipart/form-data; boundary=${boundary}`,
    pieces: [...pieces, Buffer.from(`\r\n--${boundary}--\r\n`)],
  };
}

function headOf({ name, file_name, content_type }: FormPart): string {
  const file = file_name === null ? "" : `; filename="${quoted(file_name)}"`;
  const type = content_type === null ? "" : `\r\ncontent-type: ${content_type}`;
  return `content-disposition: form-data; name="${quoted(name)}"${file}${type}`;
}

/** A name between quotes, as browsers write it. */
function quoted(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** A part that is no file. */
export function textPart(name: string, text: string): FormPart {
  return { name, file_name: null, content_type: null, data: Buffer.from(text) };
}
