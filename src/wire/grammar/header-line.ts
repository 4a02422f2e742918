import { isHeaderValue } from "../../core/texts.ts";

const NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;

/** A header's line (RFC 9112, 5). Throws a TypeError for a name or a value that could be read as something else. */
export function headerLine(name: string, value: string): string {
  if (!NAME.test(name)) throw new TypeError(`a message cannot have a header named ${JSON.stringify(name)}`);
  if (!isHeaderValue(value)) throw new TypeError(`the header '${name}' has a value that cannot be sent`);
  return `${name}: ${value}\r\n`;
}
