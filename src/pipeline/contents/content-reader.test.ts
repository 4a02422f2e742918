import { beforeEach, describe, expect, test } from "bun:test";
import { ContentCipher } from "../../access/content-cipher.ts";
import type {
  ContentCut,
  ContentEntry,
  ContentSegment,
  ContentStore,
  KeptSegment,
} from "../../core/answer/contents.ts";
import { ContentReader } from "./content-reader.ts";
import type { KeptContent } from "./said.ts";
import { segmentOf } from "./segment.ts";

const ACCOUNT = "acct_1";
const cipher = new ContentCipher({ content: new Uint8Array(32).fill(1) });
const elsewhere = new ContentCipher({ content: new Uint8Array(32).fill(2) });

/** Segments in memory, as far as a reader asks for them. */
class Segments {
  segments = new Map<string, ContentSegment & KeptSegment>();
  /** What happens before the next cut. */
  before: (() => Promise<void>) | null = null;

  put(segment: ContentSegment): void {
    this.segments.set(segment.segment_id, { ...segment, version: 1 });
  }

  get ids(): string[] {
    return Array.from(this.segments.values(), ({ entries }) => entries.map(({ request_id }) => request_id)).flat();
  }

  async findContents(
    account_id: string,
    which: { request_id: string } | { user_key: string },
  ): Promise<ContentEntry[]> {
    const all = Array.from(this.segments.values(), ({ segment_id, entries }) =>
      entries.map((entry) => ({ account_id, segment_id, ...entry })),
    ).flat();
    return all.filter((entry) =>
      "request_id" in which ? entry.request_id === which.request_id : entry.user_key === which.user_key,
    );
  }

  async readSegments(_account_id: string, ids: readonly string[]): Promise<KeptSegment[]> {
    return ids.flatMap((id) => this.segments.get(id) ?? []);
  }

  async cutSegment(_account_id: string, { segment_id, version, content, gone }: ContentCut): Promise<boolean> {
    const meanwhile = this.before;
    this.before = null;
    await meanwhile?.();
    const found = this.segments.get(segment_id);
    if (found?.version !== version) return false;
    const ids = new Set(gone.map(({ request_id }) => request_id));
    const entries = found.entries.filter(({ request_id }) => !ids.has(request_id));
    if (content === null) this.segments.delete(segment_id);
    else this.segments.set(segment_id, { ...found, content, entries, version: version + 1 });
    return true;
  }
}

let store: Segments;
let reader: ContentReader;
beforeEach(() => {
  store = new Segments();
  reader = new ContentReader(store as unknown as ContentStore, cipher);
});

function segment(users: readonly [string, string][], by = cipher): Promise<ContentSegment> {
  const [first, ...others] = users.map(([request_id, user]) => ({
    facts: {
      ...{ request_id, at_ms: 1, key_id: "key", model: "m", endpoint: "messages", status: 200, tags: null },
      user_key: cipher.userKeyOf(ACCOUNT, user),
    },
    text: JSON.stringify({ sent: `said in ${request_id}` }),
  }));
  if (first === undefined) throw new Error("a segment has contents");
  return segmentOf(by, ACCOUNT, [first, ...others]);
}

async function said(request_id: string): Promise<KeptContent["sent"] | undefined> {
  return (await reader.show(ACCOUNT, request_id))?.content?.sent;
}

describe("deleting contents", () => {
  test("takes one user's out of the segments that others share, whose own stay", async () => {
    const sealed = await segment([
      ["req_1", "ann"],
      ["req_2", "bob"],
      ["req_3", "ann"],
    ]);
    store.put(sealed);
    store.put(await segment([["req_4", "ann"]]));
    expect(await reader.remove(ACCOUNT, { user: "ann" })).toBe(3);
    expect(store.ids).toEqual(["req_2"]);
    expect([await said("req_1"), await said("req_2")]).toEqual([undefined, "said in req_2"]);
    const [left] = await store.readSegments(ACCOUNT, ["req_1"]);
    expect(left?.content.byteLength).toBeLessThan(sealed.content.byteLength);
    expect(await reader.remove(ACCOUNT, { request_id: "req_2" })).toBe(1);
    expect(store.ids).toEqual([]);
  });

  test("reads a segment anew that another has cut meanwhile, and brings nothing back", async () => {
    store.put(
      await segment([
        ["req_1", "ann"],
        ["req_2", "bob"],
        ["req_3", "cleo"],
      ]),
    );
    store.before = async () => {
      await reader.remove(ACCOUNT, { user: "bob" });
    };
    expect(await reader.remove(ACCOUNT, { user: "ann" })).toBe(1);
    expect(store.ids).toEqual(["req_3"]);
    const [kept] = await store.readSegments(ACCOUNT, ["req_1"]);
    expect(kept?.version).toBe(3);
    expect(await said("req_3")).toBe("said in req_3");
  });

  test("has a segment go as a whole that nobody can open", async () => {
    store.put(
      await segment(
        [
          ["req_1", "ann"],
          ["req_2", "bob"],
        ],
        elsewhere,
      ),
    );
    expect((await reader.show(ACCOUNT, "req_1"))?.content).toBeNull();
    expect(await reader.remove(ACCOUNT, { user: "ann" })).toBe(1);
    expect(store.ids).toEqual([]);
  });
});

test("the shares of a segment's contents are of its bytes", async () => {
  const { content, entries } = await segment([
    ["req_1", "ann"],
    ["req_22222222222222222222222222222222222", "ann"],
  ]);
  const [small = 0, large = 0] = entries.map(({ bytes }) => bytes);
  expect(large).toBeGreaterThan(small);
  expect(small + large).toBeGreaterThanOrEqual(content.byteLength);
  expect(small + large).toBeLessThanOrEqual(content.byteLength + 2);
});
