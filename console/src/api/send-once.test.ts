import { expect, test } from "bun:test";
import { ApiError } from "./api-error.ts";
import { sendOnce } from "./send-once.ts";

/** A gateway that answers when the test lets it, with the requests that it received. */
function slowGateway() {
  const calls: { once: string; end: (outcome: Error | null) => void }[] = [];
  const send = sendOnce((_input: { name: string }, once) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    calls.push({ once, end: (outcome) => (outcome === null ? resolve("made") : reject(outcome)) });
    return promise;
  });
  const keys = () => calls.map(({ once }) => once);
  return { calls, send, keys };
}

const refused = new ApiError("No.", { status: 400, code: "invalid_request" });
const unreachable = new ApiError("Gone.", { status: 0, code: "unreachable" });
const broken = new ApiError("Oh.", { status: 502, code: "bad_gateway" });

test("a change that is asked for twice at once is sent once, and both get its answer", async () => {
  const { calls, send } = slowGateway();
  const both = Promise.all([send({ name: "a" }), send({ name: "a" })]);
  expect(calls).toHaveLength(1);
  calls[0]?.end(null);
  expect(await both).toEqual(["made", "made"]);
});

test("two different changes at once are two", async () => {
  const { keys, send } = slowGateway();
  void send({ name: "a" });
  void send({ name: "b" });
  expect(new Set(keys()).size).toBe(2);
});

test.each([
  ["an answer", null, 2],
  ["a refusal", refused, 2],
  ["a lost answer", unreachable, 1],
  ["a failure of the gateway", broken, 1],
] as const)("the same change after %s has its key: %p of two are different", async (_, outcome, different) => {
  const { calls, keys, send } = slowGateway();
  const first = send({ name: "a" }).catch(() => undefined);
  calls[0]?.end(outcome);
  await first;
  void send({ name: "a" });
  expect(keys()).toHaveLength(2);
  expect(new Set(keys()).size).toBe(different);
});
