import { expect, test } from "bun:test";
import { deriveSubKeys } from "../sub-keys.ts";
import { MailLimits } from "./mail-limits.ts";

const KEYS = deriveSubKeys("a secret of no value");
const HOUR_MS = 3_600_000;

function limits(): MailLimits {
  const counts = new Map<string, number>();
  return new MailLimits(
    {
      async countTry(bucket) {
        const count = (counts.get(bucket) ?? 0) + 1;
        counts.set(bucket, count);
        return { count, resets_in_ms: HOUR_MS };
      },
    },
    KEYS,
  );
}

test("a network asks for twenty resets an hour, and others are not kept from asking", async () => {
  const mail = limits();
  for (let asked = 0; asked < 20; asked += 1) expect(await mail.waitOfAsking("203.0.113.7")).toBe(0);
  expect(await mail.waitOfAsking("203.0.113.7")).toBe(HOUR_MS);
  expect(await mail.waitOfAsking("203.0.113.8")).toBe(0);
});

test("an address gets three resets an hour, however it is written", async () => {
  const mail = limits();
  const asked = ["ann@example.com", " Ann@Example.com", "ANN@EXAMPLE.COM ", "ann@example.com"];
  expect(await Promise.all(asked.map((email) => mail.mayMailReset(email)))).toEqual([true, true, true, false]);
  expect(await mail.mayMailReset("bo@example.com")).toBe(true);
});

test("one person invites two hundred people by mail a day, and others invite on", async () => {
  const mail = limits();
  for (let n = 0; n < 200; n += 1) expect(await mail.mayMailInvitation(`${n}@example.com`, "user_1")).toBe(true);
  expect(await mail.mayMailInvitation("more@example.com", "user_1")).toBe(false);
  expect(await mail.mayMailInvitation("more@example.com", "user_2")).toBe(true);
});
