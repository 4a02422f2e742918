import { ERRORS, type ErrorCode } from "../../../../src/core/errors.ts";
import { isObject } from "../../../../src/core/json.ts";
import { errorCode, type Style, textAt } from "./styles.ts";

/** An error's answer by what each style has to tell it apart: a type, a code, or both. */
export function toldError(style: Style, body: unknown): object {
  const told = { code: errorCode(style, body) };
  if (style.endpoint !== "generateContent") return { ...told, type: textAt(body, ["error", "type"]) };
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  return { ...told, status: error.code };
}

/** What a client of the style is told of an error, by the one table of errors. */
export function errorIn(style: Style, code: ErrorCode): object {
  const { status, type_a, type_b } = ERRORS[code];
  if (style.endpoint === "generateContent") return { code, status };
  return style.endpoint === "messages" ? { code: type_b, type: type_b } : { code, type: type_a };
}
