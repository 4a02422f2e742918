import type { BodyApart, ClientRequest, Exchange, Target } from "../../core/answer/exchange.ts";
import { findMembers, type MemberChange, replacedParts, replaceMembers } from "./json-members.ts";
import { nameText } from "./json-text.ts";

/** The relay of a request that is not generated from: the client's own body, but for its model and what its vendor does not take. */

/** A body for one target, in parts or pieces of bytes, and the names of what was left out of it. */
export interface PlainBody {
  readonly parts?: readonly string[];
  readonly pieces?: readonly Uint8Array[];
  readonly ignored: readonly string[];
}

/** What becomes of a member that the target's vendor does not take: `quietly` where the client gets the same without it. Throws a 400. */
export type Unsupported = (field: string) => "named" | "quietly";

const NAMED: Unsupported = () => "named";

/** `kept`: the members without which a request is none. */
export function plainBody(
  request: ClientRequest,
  { vendor, upstream_model }: Target,
  kept: ReadonlySet<string>,
  unsupported: Unsupported = NAMED,
): PlainBody {
  const { apart, body } = request;
  const changes: MemberChange[] = [];
  const ignored: string[] = [];
  if (body.model !== upstream_model) changes.push(["model", nameText(upstream_model)]);
  const fields = new Set(vendor.quirks.unsupported_fields);
  if (!vendor.forwards_safety_identifier) fields.add("user");
  for (const field of fields) {
    if (kept.has(field) || !Object.hasOwn(body, field)) continue;
    if (body[field] !== null && unsupported(field) === "named") ignored.push(field);
    changes.push([field, null]);
  }
  if (apart !== undefined) return { pieces: piecesOf(apart, changes), ignored };
  const { text } = request;
  return { parts: changes.length === 0 ? [text] : replacedParts(text, changes, findMembers(text)), ignored };
}

/** The body with its changes, which are none of the value that was left apart. */
function piecesOf({ rest, member, value }: BodyApart, changes: readonly MemberChange[]): readonly Uint8Array[] {
  const text = replaceMembers(rest, changes);
  const place = findMembers(text).get(member);
  if (place === undefined) throw new Error(`the body has no ${member}`);
  return [Buffer.from(text.slice(0, place.value_start)), value, Buffer.from(text.slice(place.end))];
}

/** The members of an exchange that has a plain body, and no stream. */
export function plainExchange(path: string, { parts, pieces, ignored }: PlainBody) {
  return {
    path,
    ...(parts !== undefined && { parts }),
    ...(pieces !== undefined && { pieces }),
    ignored,
    headers: {},
    get body() {
      return parts?.join("") ?? Buffer.concat(pieces ?? []).toString();
    },
    openStream: refuseStream,
  } satisfies Partial<Exchange>;
}

/** These answers are never streamed. */
export function refuseStream(): never {
  throw new Error("this endpoint has no streams");
}
