import { invalidRequest } from "../../core/errors.ts";
import { type Micro, micro, parseAmount } from "../../core/money/money.ts";

/** Reads a decimal amount, with a sign where the schema let one through. Throws a 400 that names the field. */
export function readAmount(text: string, param: string): Micro {
  const size = parseAmount(text.replace(/^-/, ""));
  if (size === null) {
    throw invalidRequest(`'${param}' is '${text}'; allowed: a decimal such as "25" or "0.000001".`, param);
  }
  return text.startsWith("-") ? micro(-size) : size;
}
