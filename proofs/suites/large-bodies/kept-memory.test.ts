import { afterAll, describe, expect, test } from "bun:test";
import { GatewayError } from "../../../src/core/errors.ts";
import { KeptRoom } from "../../../src/pipeline/large-bodies/kept-room.ts";
import { LargeBodies } from "../../../src/pipeline/large-bodies/large-bodies.ts";
import { weightOf } from "../../../src/pipeline/large-bodies/weight.ts";

/** Large requests that are being answered take no more memory together than there is room for (docs/security/large-bodies.md). */

const MIB = 2 ** 20;
const room = new KeptRoom(64 * MIB, MIB);
const large_bodies = new LargeBodies({
  start: () => new Worker(new URL("../../../src/main/body-worker.ts", import.meta.url)),
  ...{ most_workers: 1, room, memory: null, log: { error: () => {} } },
});
afterAll(() => large_bodies.close());

const chat = (unknown: string) => `{"model":"a/b","messages":[{"role":"user","content":"Hi"}],"unknown":${unknown}}`;
const TEXT = chat(JSON.stringify("a ".repeat(4 * MIB)));
/** A text of two megabytes that is parsed to many times that. */
const LISTS = chat(`[${"[],".repeat(600_000)}[]]`);
const FEW_LISTS = chat(`[${"[],".repeat(150_000)}[]]`);

const read = (text: string, account_id: string) =>
  large_bodies.read({
    ...{ route: "chat.completions", account_id, headers: { get: () => null }, is_repeatable: false, recall: null },
    body: { bytes: new Uint8Array(Buffer.from(text)), form: null },
  });

async function refusalOf(work: Promise<unknown>): Promise<Partial<GatewayError>> {
  const thrown = await work.then(
    () => null,
    (caught: unknown) => caught,
  );
  if (thrown instanceof GatewayError) return { code: thrown.code, retry_after_ms: thrown.retry_after_ms };
  throw new Error("no refusal", { cause: thrown });
}

const BUSY = { code: "model_unavailable", retry_after_ms: 1000 } as const;

test("a text weighs a few times its size, and many values weigh more", () => {
  expect(weightOf(TEXT, TEXT.length)).toBeLessThan(3.01 * TEXT.length);
  expect(weightOf(LISTS, LISTS.length)).toBeGreaterThan(40 * LISTS.length);
  for (const text of ["", "{", '"', '"\\', '{"a":"[,[,[,"}', "漢".repeat(1000)])
    expect(weightOf(text, text.length)).toBeLessThan(3 * text.length + 129);
});

describe("a large request", () => {
  test("that has more values than the account's room is refused for good, and nothing stays taken", async () => {
    expect(await refusalOf(read(LISTS, "a"))).toMatchObject({ code: "request_too_large" });
    expect(room.used_bytes).toBe(0);
  });

  test("waits for those that are being answered: its account's, or all", async () => {
    const first = await read(TEXT, "a");
    expect(room.used_bytes).toBe(weightOf(TEXT, TEXT.length));
    // Its bytes alone would fit; its values do not.
    expect(await refusalOf(read(FEW_LISTS, "a"))).toEqual(BUSY);
    expect(await refusalOf(read(TEXT, "a"))).toEqual(BUSY);
    const others = await read(TEXT, "b");
    expect(await refusalOf(read(FEW_LISTS, "c"))).toEqual(BUSY);
    first.remote.release();
    first.remote.release();
    const again = await read(FEW_LISTS, "a");
    for (const { remote } of [others, again]) remote.release();
    expect(room.used_bytes).toBe(0);
  });

  test("that cannot be read, or whose client has left, takes no room afterwards", async () => {
    expect(await refusalOf(read(`${TEXT}}`, "a"))).toMatchObject({ code: "invalid_json" });
    expect(room.used_bytes).toBe(0);
  });

  test("whose answer is large is read for that answer, whatever is kept", async () => {
    const kept = [await read(TEXT, "a"), await read(TEXT, "b")];
    const request = { ...kept[0], text: FEW_LISTS, remote: undefined } as never;
    const adopted = await large_bodies.adopt("chat.completions", request, { get: () => null });
    adopted.release();
    for (const { remote } of kept) remote.release();
    expect(room.used_bytes).toBe(0);
  });
});
