import type { ClientRequest, Exchange, Target, WholeAnswer } from "../../core/answer/exchange.ts";
import type { Usage } from "../../core/money/usage.ts";
import { findMembers, type MemberChange, replacedParts } from "./json-members.ts";
import { nameText } from "./json-text.ts";

/** The relay of a request that is not generated from: the client's own body, but for its model and what its vendor does not take. */

/** A body for one target, and the names of what was left out of it. */
export interface PlainBody {
  readonly parts: readonly string[];
  readonly ignored: readonly string[];
}

/** What becomes of a member that the target's vendor does not take: `quietly` where the client gets the same without it. Throws a 400. */
export type Unsupported = (field: string) => "named" | "quietly";

const NAMED: Unsupported = () => "named";

/** `kept`: the members without which a request is none. */
export function plainBody(
  { text, body }: ClientRequest,
  { vendor, upstream_model }: Target,
  kept: ReadonlySet<string>,
  unsupported: Unsupported = NAMED,
): PlainBody {
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
  return { parts: changes.length === 0 ? [text] : replacedParts(text, changes, findMembers(text)), ignored };
}

/** The members of an exchange that has a plain body, and no stream. */
export function plainExchange(path: string, { parts, ignored }: PlainBody) {
  return {
    path,
    parts,
    ignored,
    headers: {},
    get body() {
      return parts.join("");
    },
    openStream: refuseStream,
  } satisfies Partial<Exchange>;
}

/** The members of a body that a translation has no place for: all but `translated`. Null is as if it were absent. */
export function untranslated(body: object, translated: ReadonlySet<string>): readonly string[] {
  return Object.entries(body).flatMap(([name, value]) => (value === null || translated.has(name) ? [] : [name]));
}

/** A whole answer that is no text, whose tokens could be estimated; `bodyWith` writes it with what was billed. */
export function plainAnswer(
  usage: Usage | null,
  rejected_usage: unknown,
  bodyWith: NonNullable<WholeAnswer["bodyWith"]>,
): WholeAnswer {
  return {
    ...{ usage, rejected_usage, output_bytes: 0, output_sample: "", has_content: true, failure: null, bodyWith },
    get body() {
      return bodyWith(null);
    },
  };
}

/** These answers are never streamed. */
export function refuseStream(): never {
  throw new Error("this endpoint has no streams");
}
