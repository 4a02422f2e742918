const NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
/** Characters that end the line, that other readers take for its end, or that latin1 does not have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be sent.
const NOT_IN_VALUE = /[\0-\x08\n-\x1f\x7f\u0100-\uffff]/;

/** A header's line (RFC 9112, 5). Throws a TypeError for a name or a value that could be read as something else. */
export function headerLine(name: string, value: string): string {
  if (!NAME.test(name)) throw new TypeError(`a message cannot have a header named ${JSON.stringify(name)}`);
  if (NOT_IN_VALUE.test(value)) throw new TypeError(`the header '${name}' has a value that cannot be sent`);
  return `${name}: ${value}\r\n`;
}
