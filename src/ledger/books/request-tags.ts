import type { AdmitOp } from "../../core/ledger/ledger.ts";
import { OTHER_TAGS } from "../../core/people/keys.ts";
import type { RequestTags, TagDay, TagValue, WorkingSet } from "./working-set.ts";

/** Tags that requests carry themselves, and how their values are counted (docs/design/tags-and-projects.md). */

/** The most values, over all names together, that an account's requests bring to a UTC day. */
export const MOST_TAG_VALUES_A_DAY = 1000;
/** The most names that they bring to it. */
export const MOST_TAG_NAMES_A_DAY = 64;

export function readRequestTags(text: string | null, counted_text: string | null): RequestTags | null {
  if (text === null) return null;
  const counted = Object.entries(JSON.parse(counted_text ?? text) as Record<string, string>);
  return { text, counted_text, counted };
}

/**
 * Decides under which names and values an admission's tags are counted, and remembers the values that are new today. Values that an account has
 * no room for are counted as `(other)`, so that no client can let the books grow without bound. Null for an admission without tags.
 */
export function countedTags(working: WorkingSet, { account_id, tags: text = null }: AdmitOp): RequestTags | null {
  if (text === null) return null;
  const day = working.tag_days.get(account_id);
  if (day === undefined) throw new Error(`the counted tags of ${account_id} are missing`);
  const carried = Object.entries(JSON.parse(text) as Record<string, string>);
  const counted = new Map<string, string>();
  for (const [name, value] of carried) {
    const [counted_name, counted_value] = placeIn(day, name, value);
    counted.set(counted_name, counted_value);
    meetValue(working, day, { account_id, day: working.day, name: counted_name, value: counted_value });
  }
  const is_as_carried = carried.every(([name, value]) => counted.get(name) === value);
  const counted_text = is_as_carried ? null : JSON.stringify(Object.fromEntries(counted));
  return { text, counted_text, counted: [...counted] };
}

/** The name and value under which a tag is counted. `(other)` always has room. */
function placeIn(day: TagDay, name: string, value: string): readonly [name: string, value: string] {
  const values = day.values.get(name);
  if (values?.has(value) === true) return [name, value];
  const names = day.values.size - (day.values.has(OTHER_TAGS) ? 1 : 0);
  if (values === undefined && names >= MOST_TAG_NAMES_A_DAY) return [OTHER_TAGS, OTHER_TAGS];
  return day.count < MOST_TAG_VALUES_A_DAY ? [name, value] : [name, OTHER_TAGS];
}

function meetValue(working: WorkingSet, day: TagDay, met: TagValue): void {
  if (!addTagValue(day, met)) return;
  working.new_tag_values.push(met);
}

/** Adds a value to those of a day; false where it was there. */
export function addTagValue(day: TagDay, { name, value }: Pick<TagValue, "name" | "value">): boolean {
  let values = day.values.get(name);
  if (values?.has(value) === true) return false;
  if (values === undefined) {
    values = new Set();
    day.values.set(name, values);
  }
  values.add(value);
  day.count += 1;
  return true;
}
