import { type Fields, fieldsAt, nameAt } from "../read-fields.ts";
import { demand, quote } from "../violation.ts";

/** The sentence of style A's error object (docs/api.md 2.10). */
export function readStyleAError(body: Fields): string {
  const error = fieldsAt(body, "error");
  nameAt(error, "type");
  nameAt(error, "code");
  const { param } = error;
  demand(param === null || typeof param === "string", `'error.param' is ${quote(param)}, not a string or null`);
  return nameAt(error, "message");
}
