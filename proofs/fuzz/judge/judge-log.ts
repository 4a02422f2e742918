import { isObject } from "../../../src/core/json.ts";

/** Lines that a gateway must not write when nothing is wrong with itself: each as a text that says where it comes from. */
export function faultsIn(log: string): string[] {
  return log.split("\n").flatMap((line) => {
    const fault = line.trim() === "" ? null : faultOf(line);
    return fault === null ? [] : [`${fault}: ${line.slice(0, 1500)}`];
  });
}

const FAULTY_LEVELS = ["error", "fatal"];
/** What vendors do, which operators are told of. */
const OF_VENDORS = /^a vendor sent a usage that cannot be believed/;
/** A line of a stack: only the message of an error is for operators to read. */
const STACK = /\\n\s+at |^\s+at \S+ \(/;

function faultOf(line: string): string | null {
  const told = parsed(line);
  // The gateway writes JSON. Other lines come from the runtime, which writes when something broke.
  if (!isObject(told)) return "a line that the gateway did not write";
  if (FAULTY_LEVELS.includes(String(told.level)) && !OF_VENDORS.test(String(told.msg)))
    return `a line at ${String(told.level)}`;
  return STACK.test(line) ? "a stack" : null;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return null;
  }
}
