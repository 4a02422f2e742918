import type { WholeBody } from "../../core/answer/exchange.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { eventData, eventFrame } from "../shared/event-frames.ts";
import { issued } from "../shared/issuer.ts";
import { findItems, findMembers, memberText, replaceMembers } from "../shared/json-members.ts";
import { parseJson } from "../shared/parse-json.ts";

/**
 * A relayed answer whose vendor signs its thinking itself: clients get its values with its name, so that they go back to it alone
 * (docs/rulings.md 192).
 */

const SIGNATURE = Buffer.from('"signature');
const REDACTED = Buffer.from('"redacted_thinking"');

/** A frame with its vendor's values packed; the frame itself where it has none, which two searches tell. */
export function issuedFrame(name: string, frame: Buffer, issuer: string): Buffer {
  if (!frame.includes(SIGNATURE) && !frame.includes(REDACTED)) return frame;
  const data = eventData(frame);
  // A message in place of its stream.
  if (name === "message" && Array.isArray(data?.content))
    return eventFrame(name, { ...data, content: data.content.map((block: unknown) => issuedBlock(block, issuer)) });
  const member = name === "content_block_start" ? "content_block" : name === "content_block_delta" ? "delta" : null;
  if (data === null || member === null) return frame;
  const holder = data[member];
  if (!isObject(holder)) return frame;
  return eventFrame(name, { ...data, [member]: issuedBlock(holder, issuer) });
}

function issuedBlock(block: unknown, issuer: string): unknown {
  return isObject(block) ? { ...block, ...Object.fromEntries(changesOf(block, issuer)) } : block;
}

/** A whole message with its vendor's values packed; the body itself where it has none. */
export function issuedBody(body: WholeBody, issuer: string): WholeBody {
  const text = textOf(body);
  if (!text.includes('"signature"') && !text.includes('"redacted_thinking"')) return body;
  try {
    const message = parseJson(text);
    if (!isObject(message) || !Array.isArray(message.content)) return body;
    const blocks: readonly unknown[] = message.content;
    const sent = memberText(text, findMembers(text), "content") ?? "[]";
    const written = findItems(sent, 0).map(({ start, end }, at) => {
      const block = blocks[at];
      const changes = isObject(block) ? changesOf(block, issuer) : [];
      const own = sent.slice(start, end);
      if (changes.length === 0) return own;
      return replaceMembers(
        own,
        changes.map(([name, value]) => [name, JSON.stringify(value)] as const),
      );
    });
    return replaceMembers(text, [["content", `[${written.join(",")}]`]]);
  } catch {
    // Whoever reads the answer says what is wrong with it.
    return body;
  }
}

/** The members of a block, or of a delta, that change. */
function changesOf({ type, signature, data }: JsonRecord, issuer: string): [name: string, value: string][] {
  if (type === "redacted_thinking")
    return typeof data === "string" ? [["data", issued(issuer, { form: "redacted", data })]] : [];
  if (type !== "thinking" && type !== "signature_delta") return [];
  if (typeof signature !== "string" || signature === "") return [];
  return [["signature", issued(issuer, { form: "signature", data: signature })]];
}
