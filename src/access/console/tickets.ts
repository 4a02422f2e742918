import { timingSafeEqual } from "node:crypto";
import { randomBase62 } from "../../core/ids.ts";
import type { UserStore } from "../../core/people/users.ts";
import type { SubKeys } from "../sub-keys.ts";
import { ticketMac } from "./tokens.ts";

/**
 * Tickets: the state that the gateway needs when a sign-in that it began is continued. The client carries the ticket, which
 * is signed and can be read but not changed, so that strangers who begin sign-ins fill no table and lock nobody out.
 */

export type TicketUse = "passkey" | "oidc";

export interface Ticket<Data> {
  /** By this id a ticket is used up. */
  readonly id: string;
  readonly expires_ms: number;
  readonly data: Data;
}

const ID_LENGTH = 22;
/** No ticket holds longer than this. */
const LONGEST_TTL_MS = 60 * 60_000;

/** A ticket that holds for `ttl_ms` from `now_ms` on. */
export function writeTicket(
  keys: SubKeys,
  use: TicketUse,
  data: object,
  { now_ms, ttl_ms }: { readonly now_ms: number; readonly ttl_ms: number },
): string {
  const ticket = { id: randomBase62(ID_LENGTH), expires_ms: now_ms + Math.min(ttl_ms, LONGEST_TTL_MS), data };
  const text = Buffer.from(JSON.stringify(ticket)).toString("base64url");
  return `${text}.${ticketMac(keys, use, text).toString("base64url")}`;
}

/** The content of a ticket; null where it is not this gateway's, was made for another use, or has expired. */
export function readTicket<Data>(keys: SubKeys, use: TicketUse, given: string, now_ms: number): Ticket<Data> | null {
  const dot = given.indexOf(".");
  if (dot < 0) return null;
  const text = given.slice(0, dot);
  const expected = ticketMac(keys, use, text);
  const found = Buffer.from(given.slice(dot + 1), "base64url");
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) return null;
  const ticket = JSON.parse(Buffer.from(text, "base64url").toString()) as Ticket<Data>;
  return ticket.expires_ms > now_ms ? ticket : null;
}

/** Uses a ticket up; false where it was used before, on whatever node. */
export async function spendTicket(
  users: Pick<UserStore, "countTry">,
  { id }: Pick<Ticket<unknown>, "id">,
): Promise<boolean> {
  return (await users.countTry(`ticket:${id}`, LONGEST_TTL_MS)).count === 1;
}
