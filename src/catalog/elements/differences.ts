import { isObject } from "../../core/json.ts";

/** A leaf that two values do not have alike; undefined where one has nothing there. */
export interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** More are of no use to a reader. */
const MOST = 1000;

/** The differences between two values, leaf by leaf, in the order of their keys. An item of a list that moved differs at each place. */
export function differencesOf(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = [];
  compare(before, after, "", found);
  return found;
}

function compare(before: unknown, after: unknown, path: string, found: Difference[]): void {
  if (found.length >= MOST) return;
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    for (let index = 0; index < length; index += 1) compare(before[index], after[index], `${path}[${index}]`, found);
  } else if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(memberOf(before, key), memberOf(after, key), path === "" ? key : `${path}.${key}`, found);
    }
  } else if (!Bun.deepEquals(before, after)) {
    found.push({ path, before, after });
  }
}

function memberOf(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
