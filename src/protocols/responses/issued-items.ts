import type { WholeBody } from "../../core/answer/exchange.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import { isObject } from "../../core/json.ts";
import { eventData, eventFrame } from "../shared/event-frames.ts";
import { issued } from "../shared/issuer.ts";
import { findMembers, mapItems, memberText, replaceMembers } from "../shared/json-members.ts";
import { parseJson } from "../shared/parse-json.ts";
import { isCompaction } from "./compaction.ts";

/**
 * A relayed answer whose vendor encrypts its reasoning itself: clients get it with the vendor's name, so that it goes back to this vendor
 * alone (docs/rulings.md 192).
 */

const ENCRYPTED = '"encrypted_content"';

/** A frame with its vendor's values packed; the frame itself where it has none, which one search tells. */
export function issuedFrame(name: string, frame: Buffer, issuer: string): Buffer {
  if (!frame.includes(ENCRYPTED)) return frame;
  const data = eventData(frame);
  if (data === null) return frame;
  if (isObject(data.item)) return eventFrame(name, { ...data, item: issuedItem(data.item, issuer) });
  const { response } = data;
  if (!isObject(response) || !Array.isArray(response.output)) return frame;
  const output = response.output.map((item: unknown) => issuedItem(item, issuer));
  return eventFrame(name, { ...data, response: { ...response, output } });
}

/** A whole response with its vendor's values packed; the body itself where it has none. */
export function issuedBody(body: WholeBody, issuer: string): WholeBody {
  const text = textOf(body);
  if (!text.includes(ENCRYPTED)) return body;
  try {
    const response = parseJson(text);
    if (!isObject(response) || !Array.isArray(response.output)) return body;
    const items: readonly unknown[] = response.output;
    const written = mapItems(memberText(text, findMembers(text), "output") ?? "[]", (own, at) => {
      const item = issuedItem(items[at], issuer);
      if (item === items[at] || !isObject(item)) return own;
      return replaceMembers(own, [["encrypted_content", JSON.stringify(item.encrypted_content)]]);
    });
    return replaceMembers(text, [["output", written]]);
  } catch {
    // The reader of the answer says what is wrong with it.
    return body;
  }
}

function issuedItem(item: unknown, issuer: string): unknown {
  if (!isObject(item) || (item.type !== "reasoning" && !isCompaction(item))) return item;
  const { encrypted_content: data, id } = item;
  if (typeof data !== "string" || data === "") return item;
  const named = typeof id === "string" ? { id } : {};
  return { ...item, encrypted_content: issued(issuer, { form: "encrypted", data, ...named }) };
}
