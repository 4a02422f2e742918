import { expect, test } from "bun:test";
import { deriveSubKeys } from "../sub-keys.ts";
import { knownBrowser, markBrowser } from "./known-browser.ts";
import { readTicket, spendTicket, writeTicket } from "./tickets.ts";

const KEYS = deriveSubKeys("a root secret for tests");
const OTHER_KEYS = deriveSubKeys("another root secret");

test("a ticket says what it was made of, to its gateway, for its use, until it expires", () => {
  const ticket = writeTicket(KEYS, "oidc", { state: "ü {}" }, { now_ms: 1000, ttl_ms: 500 });
  expect(readTicket<{ state: string }>(KEYS, "oidc", ticket, 1499)).toMatchObject({ data: { state: "ü {}" } });
  expect(readTicket(KEYS, "oidc", ticket, 1500)).toBeNull();
  expect(readTicket(KEYS, "passkey", ticket, 1000)).toBeNull();
  expect(readTicket(OTHER_KEYS, "oidc", ticket, 1000)).toBeNull();
});

test("a ticket of which one character was changed says nothing", () => {
  const ticket = writeTicket(KEYS, "oidc", { user_id: null }, { now_ms: 0, ttl_ms: 1000 });
  for (let at = 0; at < ticket.length; at++) {
    const changed = `${ticket.slice(0, at)}${ticket[at] === "A" ? "B" : "A"}${ticket.slice(at + 1)}`;
    const read = readTicket(KEYS, "oidc", changed, 0);
    // The last character of base64 has bits that say nothing.
    if (at < ticket.length - 1) expect({ at, read }).toEqual({ at, read: null });
  }
  for (const nonsense of ["", ".", "a.b", "null", ticket.split(".")[0] ?? ""])
    expect(readTicket(KEYS, "oidc", nonsense, 0)).toBeNull();
});

test("a ticket is used up once", async () => {
  const counts = new Map<string, number>();
  const countTry = async (bucket: string) => {
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
    return { count: counts.get(bucket) ?? 0, resets_in_ms: 1 };
  };
  const uses = [1, 2, 3].map(() => spendTicket({ countTry }, { id: "one" }));
  expect(await Promise.all(uses)).toEqual([true, false, false]);
});

test("a browser is known for the e-mail whose user has signed in there, in any case, and for no other", () => {
  const cookie = markBrowser(KEYS, "Ann@example.com");
  const id = knownBrowser(KEYS, cookie, " ann@EXAMPLE.com ");
  expect(id).toBe(cookie.slice(0, 22));
  expect(knownBrowser(KEYS, cookie, "bob@example.com")).toBeNull();
  expect(knownBrowser(OTHER_KEYS, cookie, "ann@example.com")).toBeNull();
  const moved = `${"A".repeat(22)}${cookie.slice(22)}`;
  for (const other of [null, "", "x", moved]) expect(knownBrowser(KEYS, other, "ann@example.com")).toBeNull();
});
