import { parseTime, startOfDay } from "../../../contract/day.ts";
import { type GatewayError, invalidRequest } from "../../core/errors.ts";

/** Reads a day or time whose digits the schema has checked. Throws a 400 for a day or time that does not exist. */
export function readTime(text: string | undefined, param: string): number | undefined {
  if (text === undefined) return undefined;
  const time_ms = parseTime(text);
  if (time_ms !== null) return time_ms;
  throw notInCalendar(text, param);
}

/** Throws a 400 for a day that does not exist. */
export function requireDay(day: string | null, param: string): void {
  if (day !== null && startOfDay(day) === null) throw notInCalendar(day, param);
}

function notInCalendar(text: string, param: string): GatewayError {
  return invalidRequest(`'${param}' is '${text}', which is not a day of the calendar.`, param);
}

/** The times between which the records of a list lie. Throws a 400 for a time that does not exist, and where the list would end before it begins. */
export function readSpan({ from, to }: { readonly from?: string; readonly to?: string }) {
  const from_ms = readTime(from, "from");
  const to_ms = readTime(to, "to");
  if (from_ms === undefined || to_ms === undefined || from_ms < to_ms) return { from_ms, to_ms };
  throw invalidRequest("'from' is not before 'to'; allowed: an earlier time.", "from");
}
