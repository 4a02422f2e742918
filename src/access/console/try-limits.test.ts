import { expect, test } from "bun:test";
import { GatewayError } from "../../core/errors.ts";
import type { TryRule, UserStore } from "../../core/people/users.ts";
import { waitAfter } from "../../people/sign-in/slow-tries.ts";
import { deriveSubKeys } from "../sub-keys.ts";
import { type SignInAttempt, TryLimits } from "./try-limits.ts";

/** Counts as the database does, on a clock that only the test moves, and shows the counts by bucket. */
function scene() {
  let now_ms = 0;
  const pass = (ms: number): void => {
    now_ms += ms;
  };
  const buckets = new Map<string, { count: number; waits_until_ms: number }>();
  const at = (bucket: string) => buckets.get(bucket) ?? { count: 0, waits_until_ms: 0 };
  const countTry: UserStore["countTry"] = async (bucket) => {
    buckets.set(bucket, { ...at(bucket), count: at(bucket).count + 1 });
    return { count: at(bucket).count, resets_in_ms: 1 };
  };
  const asked = { count: 0 };
  const takeTry: UserStore["takeTry"] = async (bucket, rule: TryRule) => {
    asked.count += 1;
    const { count, waits_until_ms } = at(bucket);
    if (waits_until_ms > now_ms) return { taken: false, count, wait_ms: waits_until_ms - now_ms };
    buckets.set(bucket, { count: count + 1, waits_until_ms: now_ms + waitAfter(count + 1, rule) });
    return { taken: true, count: count + 1, wait_ms: 0 };
  };
  const triesOf: UserStore["triesOf"] = async (bucket) => at(bucket).count;
  const forgetTries: UserStore["forgetTries"] = async (bucket) => void buckets.delete(bucket);
  const users = { countTry, takeTry, triesOf, forgetTries } as Partial<UserStore> as UserStore;
  const limits = new TryLimits(users, deriveSubKeys("a root secret for tests"), () => now_ms);

  /** Tries a password: how long to wait, or 0 where the try was made. */
  const tryOnce = async (sign_in: SignInAttempt, is_right = false): Promise<number> => {
    try {
      await limits.attempt(sign_in, async () => undefined);
      await (is_right ? limits.succeeded(sign_in) : limits.failed(sign_in));
      return 0;
    } catch (thrown) {
      if (thrown instanceof GatewayError) return Number(thrown.headers["retry-after"]);
      throw thrown;
    }
  };
  return { tryOnce, limits, buckets, asked, pass };
}

const ANN: SignInAttempt = { email: "ann@example.com", address: "203.0.113.7", browser: null };

test("five wrong passwords are free, then the wait doubles from a second to a minute", async () => {
  const { tryOnce, pass } = scene();
  for (let n = 0; n < 5; n++) expect(await tryOnce({ ...ANN, email: n % 2 ? "Ann@example.com " : ANN.email })).toBe(0);
  const waits: number[] = [];
  for (let n = 0; n < 8; n++) {
    const wait_s = await tryOnce(ANN);
    for (let again = 0; again < 20; again++) expect(await tryOnce(ANN)).toBe(wait_s);
    waits.push(wait_s);
    pass(wait_s * 1000);
    expect(await tryOnce(ANN)).toBe(0);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
});

test("a try while a wait runs asks nothing of the database", async () => {
  const { tryOnce, asked, pass } = scene();
  for (let n = 0; n < 6; n++) await tryOnce(ANN);
  const before = asked.count;
  for (let n = 0; n < 100; n++) expect(await tryOnce(ANN)).toBe(1);
  expect(asked.count).toBe(before);
  pass(1000);
  expect(await tryOnce(ANN)).toBe(0);
});

test("guesses from everywhere else make neither the owner's address nor the owner's browser wait", async () => {
  const { tryOnce, limits } = scene();
  const browser = "the browser in which Ann signed in";
  for (let n = 0; n < 200; n++) await tryOnce({ ...ANN, address: `198.51.100.${n}` });
  expect(await tryOnce(ANN, true)).toBe(0);
  // Strangers at the owner's own address, who guess at the owner's e-mail, and at everybody's.
  for (let n = 0; n < 200; n++) await tryOnce(ANN);
  for (let n = 0; n < 200; n++) await tryOnce({ ...ANN, email: `somebody-${n}@example.com` });
  expect(await tryOnce(ANN)).toBeGreaterThan(0);
  expect(await tryOnce({ ...ANN, browser }, true)).toBe(0);
  expect(await limits.inTurn(ANN.address, async () => "asked")).toBe("asked");
});

test("at an address with a hundred wrong passwords everybody has a try, and a longer wait after each wrong one", async () => {
  const { tryOnce, pass } = scene();
  for (let n = 0; n < 100; n++) expect(await tryOnce({ ...ANN, email: `somebody-${n}@example.com` })).toBe(0);
  expect(await tryOnce(ANN)).toBe(0);
  expect(await tryOnce(ANN)).toBe(15);
  pass(15_000);
  expect([await tryOnce(ANN), await tryOnce(ANN)]).toEqual([0, 30]);
  // A person with the right password is let in at the first try.
  expect(await tryOnce({ ...ANN, email: "colleague@example.com" }, true)).toBe(0);
});

test("a right password forgets the wrong ones, and no bucket shows whose it is", async () => {
  const { tryOnce, buckets } = scene();
  for (let n = 0; n < 5; n++) await tryOnce(ANN);
  expect(await tryOnce({ ...ANN, address: "198.51.100.1" }, true)).toBe(0);
  expect(await tryOnce(ANN)).toBe(1);
  expect([...buckets.keys()].join()).not.toMatch(/ann|example|203/);
});

test("refused sign-ins of an address are recorded a hundred times, and those of another address by themselves", () => {
  const { limits } = scene();
  const recorded = Array.from({ length: 300 }, () => limits.mayRecord("203.0.113.7")).filter(Boolean);
  expect(recorded).toHaveLength(100);
  expect(limits.mayRecord("198.51.100.1")).toBe(true);
});
