import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { ContentCut, ContentEntry } from "../../core/answer/contents.ts";
import type { NewStoredResponse, ResponseStore, StoredResponse } from "../../core/answer/stored-responses.ts";
import { newId } from "../../core/ids.ts";
import type { TestDatabase } from "./books.ts";

const PLENTY = 1_000_000;
const HOUR_MS = 3_600_000;

export function responsesSuite(database: () => TestDatabase): void {
  const responses = (): ResponseStore => database().store.responses;
  describe("stored responses", () => {
    keepingTests(responses);
    endingTests(database, responses);
    limitTests(responses);
  });
}

function keepingTests(responses: () => ResponseStore): void {
  test("come back as they were put, for their account only", async () => {
    const [account, other] = [newId("acct"), newId("acct")];
    await responses().put([made(account, "r1", { parts: PARTS, item_keys: ["i1"] })], PLENTY);
    const [found] = await responses().find(account, ["r1", "gone"], ["input", "output", "rest"]);
    expect(found).toMatchObject({ response_key: "r1", parent_key: null });
    expect(bytesIn(found)).toEqual({ input: [0, 255, 7], output: [1], rest: [2] });
    expect(bytesIn((await responses().find(account, ["r1"], ["output"]))[0])).toEqual({ output: [1] });
    expect(bytesIn((await responses().find(account, ["r1"], ["rest"]))[0])).toEqual({ output: [1], rest: [2] });
    expect(await responses().findItems(account, ["i1", "i2"])).toEqual([{ item_key: "i1", response_key: "r1" }]);
    expect(await responses().find(other, ["r1"], ["output"])).toEqual([]);
    expect(await responses().findItems(other, ["i1"])).toEqual([]);
    expect(await responses().chain(other, "r1", 10, PLENTY)).toEqual([]);
    expect(await responses().remove(other, "r1")).toBe(false);
    expect(await responses().remove(account, "r1")).toBe(true);
    expect(await responses().remove(account, "r1")).toBe(false);
    expect(await responses().find(account, ["r1"], ["output"])).toEqual([]);
    expect(await responses().findItems(account, ["i1"])).toEqual([]);
  });

  test("take the place of another with their key, also in one batch", async () => {
    const account = newId("acct");
    await responses().put([made(account, "r", { item_keys: ["old"] })], PLENTY);
    const twice = [made(account, "r", { size: 3 }), made(account, "r", { size: 5, item_keys: ["new"] })];
    await responses().put(twice, PLENTY);
    const found = await responses().find(account, ["r"], ["output"]);
    expect(found.map(({ parts }) => parts.output?.byteLength)).toEqual([5]);
    expect((await responses().findItems(account, ["old", "new"])).map(({ item_key }) => item_key)).toEqual(["new"]);
  });

  test("follow their parents up to the first that is not there, the bounds and a ring", async () => {
    const account = newId("acct");
    const put = (key: string, parent_key: string | null) =>
      responses().put([made(account, key, { parent_key })], PLENTY);
    await put("a", null);
    await put("b", "a");
    await put("c", "b");
    const keys = async (tip: string, most = 10, bytes = PLENTY) =>
      (await responses().chain(account, tip, most, bytes)).map(({ response_key }) => response_key);
    expect(await keys("c")).toEqual(["c", "b", "a"]);
    expect(await keys("c", 2)).toEqual(["c", "b"]);
    expect(await keys("c", 10, 1100)).toEqual(["c", "b"]);
    await responses().remove(account, "a");
    expect(await keys("c")).toEqual(["c", "b"]);
    await put("b", "c");
    expect(await keys("c")).toEqual(["c", "b"]);
  });
}

function endingTests(database: () => TestDatabase, responses: () => ResponseStore): void {
  test("end with their time, and what they were built on does not end before them", async () => {
    const account = newId("acct");
    await responses().put([made(account, "root", { keep_ms: 60_000 })], PLENTY);
    await responses().put([made(account, "over", { keep_ms: 60_000, item_keys: ["i"] })], PLENTY);
    await responses().put([made(account, "tip", { parent_key: "root", used_keys: ["root"] })], PLENTY);
    await database().execute(
      `UPDATE stored_responses SET expires_ms = expires_ms - 120000 WHERE account_id = '${account}'`,
    );
    const found = await responses().find(account, ["root", "over", "tip"], ["output"]);
    expect(found.map(({ response_key }) => response_key).toSorted()).toEqual(["root", "tip"]);
    while ((await responses().removeExpired(1)) > 0);
    const left = await database().execute(
      `SELECT response_key FROM stored_responses WHERE account_id = '${account}' ORDER BY response_key`,
    );
    expect(left).toEqual([{ response_key: "root" }, { response_key: "tip" }]);
    expect(await responses().findItems(account, ["i"])).toEqual([]);
  });

  test("survive a crash", async () => {
    const account = newId("acct");
    await responses().put([made(account, "kept", {})], PLENTY);
    await database().crash();
    expect(await responses().find(account, ["kept"], ["output"])).toHaveLength(1);
  });
}

function limitTests(responses: () => ResponseStore): void {
  test("of one account are never more than it may have, and the newest stay", async () => {
    const steps = fc.array(fc.record({ size: fc.integer({ min: 1, max: 3000 }), batch: fc.boolean() }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (sizes) => {
        const account = newId("acct");
        const limit = 8000;
        const weights: number[] = [];
        let waiting: NewStoredResponse[] = [];
        for (const [index, { size, batch }] of sizes.entries()) {
          // Each a little longer, so that which one is the oldest is no matter of milliseconds.
          waiting.push(
            made(account, `r${index.toString().padStart(3, "0")}`, { size, keep_ms: HOUR_MS + index * 60_000 }),
          );
          weights.push(size + 512);
          if (batch && index < sizes.length - 1) continue;
          await responses().put(waiting, limit);
          waiting = [];
        }
        const all = weights.map((_, index) => `r${index.toString().padStart(3, "0")}`);
        let first = weights.length;
        for (let room = limit - (weights[first - 1] ?? 0); first > 0 && room >= 0; room -= weights[first - 1] ?? 0)
          first -= 1;
        const found = (await responses().find(account, all, ["output"]))
          .map(({ response_key }) => response_key)
          .toSorted();
        expect(found).toEqual(all.slice(first));
      }),
      { numRuns: 15 },
    );
  });
}

const PARTS = { input: new Uint8Array([0, 255, 7]), output: new Uint8Array([1]), rest: new Uint8Array([2]) };

function bytesIn(found: StoredResponse | undefined): Record<string, number[]> {
  const parts = Object.entries(found?.parts ?? {});
  return Object.fromEntries(parts.map(([part, bytes]) => [part, [...bytes]]));
}

function made(
  account_id: string,
  response_key: string,
  { size = 1, ...fields }: Partial<NewStoredResponse> & { size?: number },
): NewStoredResponse {
  return {
    account_id,
    response_key,
    parent_key: null,
    keep_ms: HOUR_MS,
    parts: { input: new Uint8Array(0), output: new Uint8Array(size), rest: new Uint8Array(0) },
    item_keys: [],
    used_keys: [],
    ...fields,
  };
}

/** The bytes that are known without adding them up are those of all rows, whatever was done to them. */
export function keptBytesSuite(database: () => TestDatabase): void {
  const store = (): ResponseStore => database().store.responses;
  const account = newId("acct");
  const said = { key_id: "key_1", model: "m", endpoint: "chat.completions", status: 200, tags: null };
  /** A segment of one content. */
  const row = (
    request_id: string,
    { at_ms, size, user_key = null }: { at_ms: number; size: number; user_key?: string | null },
  ) => ({
    ...{ account_id: account, segment_id: request_id, content: new Uint8Array(size).fill(7) },
    entries: [{ request_id, at_ms, ...said, user_key, bytes: size }],
  });
  const list = () => store().listContents({ account_id: account, limit: 500 });
  const sizes = async () => (await list()).map((each) => each.bytes);
  const empty = async () => {
    while ((await store().trimContents(Number.MAX_SAFE_INTEGER, 0, 1000)) > 0);
  };

  describe("contents", () => {
    test("go by age, then the oldest by bytes, whatever was written twice and cut before", async () => {
      await empty();
      const many = Array.from({ length: 30 }, (_, at) =>
        row(`req_${at}`, { at_ms: 1000 + at, size: 100 * at + 1, user_key: at % 3 === 0 ? "u" : null }),
      );
      await store().putContents(many);
      // A segment that is kept already stays, and counts once.
      await Promise.all([store().putContents(many.slice(0, 20)), store().putContents(many.slice(10))]);
      const of_user = await store().findContents(account, { user_key: "u" }, 4);
      expect(of_user).toHaveLength(4);
      for (const gone of of_user) expect(await store().cutSegment(account, cutOf(gone, 1, null))).toBeTrue();
      const [last] = await store().findContents(account, { request_id: "req_29" }, 1);
      if (last === undefined) throw new Error("it was written");
      expect(await store().cutSegment(account, cutOf(last, 1, null))).toBeTrue();
      expect(await store().cutSegment(account, cutOf(last, 1, null))).toBeFalse();
      expect(await store().findContents(account, { request_id: "req_29" }, 1)).toEqual([]);
      const before = (await list()).filter(({ at_ms }) => at_ms < 1005).length;
      expect(await store().trimContents(1005, 2 ** 40, 1000)).toBe(before);
      const left = await sizes();
      const total = left.reduce((sum, bytes) => sum + bytes, 0);
      expect(await store().trimContents(0, total, 1000)).toBe(0);
      expect(await store().trimContents(0, total - 1, 1000)).toBe(1);
      expect(await sizes()).toEqual(left.slice(0, -1));
      expect(await store().trimContents(0, 0, 1000)).toBe(left.length - 1);
      await store().putContents([row("last", { at_ms: 1, size: 10 })]);
      const [bytes = 0] = await sizes();
      expect(await store().trimContents(0, bytes, 1000)).toBe(0);
      expect(await store().trimContents(0, bytes - 1, 1000)).toBe(1);
    });

    test("lie several in a segment, out of which one is cut, and which goes as a whole", async () => {
      await empty();
      const entry = (id: number, user_key: string | null) => ({
        ...{ request_id: `req_in_${id}`, at_ms: 2000 + id, ...said, user_key, bytes: 10 * id },
      });
      const entries = [entry(1, "u"), entry(2, null), entry(3, "u")];
      const segment = { account_id: account, segment_id: "req_in_1", content: new Uint8Array([1, 2]), entries };
      await store().putContents([segment]);
      expect((await list()).map(({ request_id }) => request_id)).toEqual(["req_in_3", "req_in_2", "req_in_1"]);
      const again = { ...segment, segment_id: "req_in_2", entries: [entry(2, null)] };
      await expect(store().putContents([again])).rejects.toThrow();
      const gone = await store().findContents(account, { user_key: "u" }, 10);
      const cut = { ...cutOf(gone[0], 1, new Uint8Array([3])), left_ids: ["req_in_2"], gone };
      // Who read it before another has cut something out must read it anew.
      expect(await store().cutSegment(account, { ...cut, version: 2 })).toBeFalse();
      expect(await list()).toHaveLength(3);
      expect(await store().cutSegment(account, cut)).toBeTrue();
      const [kept, ...others] = await store().readSegments(account, ["req_in_1", "req_in_2"]);
      expect([kept?.version, [...(kept?.content ?? [])], others]).toEqual([2, [3], []]);
      const [bytes = 0, ...more] = await sizes();
      expect(more).toEqual([]);
      expect(await store().trimContents(0, bytes, 10)).toBe(0);
      expect(await store().trimContents(0, bytes - 1, 10)).toBe(1);
      expect(await list()).toEqual([]);
      await store().putContents([segment]);
      expect(await store().cutSegment(account, cutOf(gone[0], 1, null))).toBeTrue();
      expect(await list()).toEqual([]);
      expect(await store().readSegments(account, ["req_in_1"])).toEqual([]);
    });
  });
}

function cutOf(gone: ContentEntry | undefined, version: number, content: Uint8Array | null): ContentCut {
  if (gone === undefined) throw new Error("there is one");
  return { segment_id: gone.segment_id, version, content, left_ids: [], gone: [gone] };
}

export function cachedAnswersSuite(database: () => TestDatabase): void {
  const store = (): ResponseStore => database().store.responses;
  const cached = (account_id: string, answer_key: string, size = 3, keep_ms = HOUR_MS) => ({
    ...{ account_id, answer_key, content: new Uint8Array(size).fill(7), age_ms: 0, keep_ms },
  });
  describe("cached answers", () => {
    test("come back for their account only, and not once they are older than is accepted", async () => {
      const [account, other] = [newId("acct"), newId("acct")];
      await store().putCached([cached(account, "a", 3), cached(account, "a", 5)]);
      expect((await store().findCached(account, "a", HOUR_MS))?.content.byteLength).toBe(5);
      await Bun.sleep(5);
      expect(await store().findCached(account, "a", 1)).toBeNull();
      expect(await store().findCached(other, "a", HOUR_MS)).toBeNull();
      await store().putCached([cached(account, "short", 3, 1)]);
      await Bun.sleep(5);
      expect(await store().findCached(account, "short", HOUR_MS)).toBeNull();
    });

    test("go when they have expired, and the oldest first while all have too many bytes", async () => {
      const account = newId("acct");
      while ((await store().trimCached(0, 100)) > 0);
      await store().putCached([cached(account, "over", 3, 1)]);
      for (const key of ["first", "second", "third"]) {
        await store().putCached([cached(account, key, 1000)]);
        await Bun.sleep(3);
      }
      expect(await store().trimCached(3200, 100)).toBe(2);
      const left = ["first", "second", "third"].map((key) => store().findCached(account, key, HOUR_MS));
      expect((await Promise.all(left)).map((each) => each !== null)).toEqual([false, true, true]);
      expect(await store().trimCached(3200, 100)).toBe(0);
    });

    test("are weighed and removed by account, or all, as far as they came until a time", async () => {
      const [account, other] = [newId("acct"), newId("acct")];
      await store().emptyCached(null, null, 1000);
      const row = 1000 + 512;
      await store().putCached(["a", "b", "c"].map((key) => cached(account, key, 1000)));
      await store().putCached([cached(other, "a", 1000)]);
      expect([await store().cachedBytes(account), await store().cachedBytes(null)]).toEqual([3 * row, 4 * row]);
      const { removed, until_ms } = await store().emptyCached(account, null, 2);
      expect(removed).toBe(2);
      await Bun.sleep(5);
      await store().putCached([cached(account, "late", 1000)]);
      expect((await store().emptyCached(account, until_ms, 2)).removed).toBe(1);
      expect((await store().emptyCached(account, until_ms, 2)).removed).toBe(0);
      expect([await store().cachedBytes(account), await store().cachedBytes(null)]).toEqual([row, 2 * row]);
      expect((await store().emptyCached(null, null, 1000)).removed).toBe(2);
      expect(await store().cachedBytes(null)).toBe(0);
    });

    test("are counted by hours, for an account and for all", async () => {
      const [account, other] = [newId("acct"), newId("acct")];
      const count = { account_id: account, hour_ms: HOUR_MS, hits: 2, misses: 1, saved_micro: 40n };
      const before = await store().cacheSums(null, 0, 10 * HOUR_MS);
      await store().countCached([count, { ...count, account_id: other, hits: 1 }]);
      await store().countCached([count, { ...count, hour_ms: 5 * HOUR_MS }]);
      expect(await store().cacheSums(account, 0, 2 * HOUR_MS)).toEqual({ hits: 4, misses: 2, saved_micro: 80n });
      const all = await store().cacheSums(null, 0, 10 * HOUR_MS);
      expect(all.hits - before.hits).toBe(7);
    });
  });
}
