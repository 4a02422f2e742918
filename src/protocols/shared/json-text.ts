/**
 * JSON text written member by member: JavaScript objects put keys that look like numbers first, and members that
 * clients name must keep their order.
 */

/** An object's text from its keys and the texts of their values; pairs whose value is null are left out. */
export function objectText(members: Iterable<readonly [key: string, value: string | null]>): string {
  const written: string[] = [];
  for (const [key, value] of members) if (value !== null) written.push(`${JSON.stringify(key)}:${value}`);
  return `{${written.join(",")}}`;
}

export function arrayText(items: readonly string[]): string {
  return `[${items.join(",")}]`;
}

/** The text of a string or boolean; null stays null, for `objectText` to leave out. */
export function valueText(value: string | boolean): string;
export function valueText(value: string | boolean | null): string | null;
export function valueText(value: string | boolean | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** The text of a number. Throws a RangeError for a number that JSON cannot express. */
export function numberText(number: number): string {
  if (!Number.isFinite(number)) throw new RangeError(`${number} is not a number of JSON`);
  return JSON.stringify(number);
}

const name_texts = new Map<string, string>();

/** The JSON text of a name from the catalogue. Such names are few, so each text is made once and kept. */
export function nameText(name: string): string {
  let text = name_texts.get(name);
  if (text === undefined) {
    text = JSON.stringify(name);
    name_texts.set(name, text);
  }
  return text;
}
