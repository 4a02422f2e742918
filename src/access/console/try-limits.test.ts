import { expect, test } from "bun:test";
import { GatewayError } from "../../core/errors.ts";
import type { UserStore } from "../../core/users.ts";
import { deriveSubKeys } from "../sub-keys.ts";
import { networkOf, TryLimits } from "./try-limits.ts";

const NETWORKS: [address: string, network: string][] = [
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:DB8:1:2::9", "2001:db8:1:2"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  ["fe80::", "fe80:0:0:0"],
  ["unknown", "unknown"],
];

for (const [address, network] of NETWORKS) {
  test(`tries from ${address} count for ${network}`, () => {
    expect(networkOf(address)).toBe(network);
  });
}

/** Counts as the database does, and shows the counts by bucket. */
function counting(): { users: UserStore; buckets: Map<string, number> } {
  const buckets = new Map<string, number>();
  const countTry: UserStore["countTry"] = async (bucket) => {
    const count = (buckets.get(bucket) ?? 0) + 1;
    buckets.set(bucket, count);
    return { count, resets_in_ms: 61_000 };
  };
  const forgetTries: UserStore["forgetTries"] = async (bucket) => void buckets.delete(bucket);
  return { users: { countTry, forgetTries } as Partial<UserStore> as UserStore, buckets };
}

const KEYS = deriveSubKeys("a root secret for tests");

test("tries beyond the limit are refused with the time to wait, for the e-mail in any case", async () => {
  const { users, buckets } = counting();
  const limits = new TryLimits(users, KEYS);
  for (let n = 0; n < 10; n++) await limits.count("email", n % 2 ? "Ann@example.com " : "ann@example.com");
  const refused = await limits.count("email", "ann@example.com").catch((thrown: unknown) => thrown);
  expect(refused).toBeInstanceOf(GatewayError);
  expect(refused).toMatchObject({ code: "rate_limit_exceeded", headers: { "retry-after": "61" } });
  await limits.count("email", "bob@example.com");
  await limits.forget("email", "ann@example.com");
  await limits.count("email", "ann@example.com");
  expect(buckets.size).toBe(2);
  // The buckets contain neither e-mails nor addresses.
  await limits.count("address", "203.0.113.7");
  expect([...buckets.keys()].join()).not.toMatch(/ann|bob|203/);
});
