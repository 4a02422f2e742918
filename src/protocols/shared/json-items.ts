import { findItems } from "./json-members.ts";

/** The text of a JSON array with some of its items changed; the same string where none changes. */
export function mapItems(text: string, change: (item: string, index: number) => string): string {
  let out = "";
  let from = 0;
  for (const [index, { start, end }] of findItems(text, 0).entries()) {
    const item = text.slice(start, end);
    const changed = change(item, index);
    if (changed === item) continue;
    out += text.slice(from, start) + changed;
    from = end;
  }
  return from === 0 ? text : out + text.slice(from);
}
