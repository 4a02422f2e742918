import { isObject, type JsonRecord } from "../../core/json.ts";
import { issued } from "../shared/issuer.ts";
import { findMembers, type MemberChange, mapItems, memberText, replaceMembers } from "../shared/json-members.ts";
import { isPacked, unpackOpaque } from "../shared/opaque.ts";
import { isPlainFormat } from "./reasoning-details.ts";

/**
 * `reasoning_details` on relay (docs/rulings.md 192): clients get a vendor's signed and encrypted values with the vendor's name, and the
 * vendor gets them back as it wrote them.
 */

const DETAILS = "reasoning_details";

/** The member of each kind of detail that only its issuer can read, and the form of its value. */
const OPAQUE_MEMBERS: ReadonlyMap<unknown, readonly [member: string, form: "signature" | "encrypted"]> = new Map([
  ["reasoning.text", ["signature", "signature"]],
  ["reasoning.encrypted", ["data", "encrypted"]],
]);

/** A message or delta of a vendor's as clients get it; itself where nothing in it has to be named. */
export function withIssuedDetails(told: JsonRecord, issuer: string): JsonRecord {
  const { [DETAILS]: details } = told;
  if (!Array.isArray(details)) return told;
  const named = details.map((detail: unknown) => issuedDetail(detail, issuer));
  return named.every((detail, at) => detail === details[at]) ? told : { ...told, [DETAILS]: named };
}

function issuedDetail(detail: unknown, issuer: string): unknown {
  const found = opaqueIn(detail);
  if (found === null || isPlainFormat(found.format, issuer)) return detail;
  return { ...found.detail, [found.member]: issued(issuer, { form: found.form, data: found.data }) };
}

/** Whether a message holds values that its vendor did not write. */
export function holdsForeignDetails(message: JsonRecord, issuer: string): boolean {
  const { [DETAILS]: details } = message;
  return Array.isArray(details) && details.some((detail) => ownMember(detail, issuer) === null);
}

/** The change to a message, in which all values are the issuer's, that gives them back as it wrote them; none where they are so. */
export function ownDetails(message: JsonRecord, issuer: string, textOf: () => string): readonly MemberChange[] {
  const { [DETAILS]: details } = message;
  if (!Array.isArray(details)) return [];
  const members = details.map((detail: unknown) => ownMember(detail, issuer) ?? []);
  if (members.every((changes) => changes.length === 0)) return [];
  const text = textOf();
  const sent = memberText(text, findMembers(text), DETAILS) ?? "[]";
  return [[DETAILS, mapItems(sent, (detail, at) => replaceMembers(detail, members[at] ?? []))]];
}

/** The change to a detail that makes its value the issuer's own again; null for a value of another. */
function ownMember(detail: unknown, issuer: string): readonly MemberChange[] | null {
  const found = opaqueIn(detail);
  if (found === null) return [];
  if (!isPacked(found.data)) return isPlainFormat(found.format, issuer) ? [] : null;
  const packed = unpackOpaque(found.data);
  return packed?.family === issuer ? [[found.member, JSON.stringify(packed.data)]] : null;
}

function opaqueIn(detail: unknown) {
  if (!isObject(detail)) return null;
  const [member, form] = OPAQUE_MEMBERS.get(detail.type) ?? [];
  const data = member === undefined ? undefined : detail[member];
  if (member === undefined || form === undefined || typeof data !== "string" || data === "") return null;
  return { detail, member, form, data, format: detail.format };
}
