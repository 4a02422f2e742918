import type { ContentStore } from "../../core/answer/contents.ts";
import type { ResponseStore } from "../../core/answer/stored-responses.ts";

async function callContents(contents: ContentStore, account_id: string, content: Uint8Array): Promise<void> {
  const said = { model: "acme/swift-1", endpoint: "chat/completions", status: 200, tags: null, user_key: "user" };
  const entry = (request_id: string) => ({ request_id, at_ms: 1, key_id: "key", ...said, bytes: 1 });
  await contents.putContents([{ account_id, segment_id: "req", content, entries: [entry("req"), entry("other")] }]);
  await contents.listContents({ account_id, before_id: "req", limit: 10 });
  await contents.readSegments(account_id, ["req"]);
  for (const which of [{ request_id: "req" }, { user_key: "user" }]) await contents.findContents(account_id, which, 1);
  const cut = { segment_id: "req", left_ids: ["req"], gone: [{ request_id: "other", bytes: 1 }] };
  await contents.cutSegment(account_id, { ...cut, version: 1, content });
  await contents.cutSegment(account_id, { ...cut, version: 2, content: null });
  await contents.trimContents(0, 1, 10);
}

/** Every call of the port for responses, cached answers and contents. */
export async function callResponses(responses: ResponseStore, account_id: string): Promise<void> {
  const bytes = new Uint8Array([1]);
  const stored = { account_id, parent_key: null, parts: { input: bytes, output: bytes, rest: bytes }, keep_ms: 60_000 };
  await responses.put([{ ...stored, response_key: "first", item_keys: ["item"], used_keys: [] }], 1_000_000);
  await responses.put([{ ...stored, response_key: "second", item_keys: [], used_keys: ["first"] }], 1);
  await responses.find(account_id, ["first"], ["input", "output"]);
  await responses.chain(account_id, "second", 10, 1_000_000);
  await responses.findItems(account_id, ["item"]);
  await responses.remove(account_id, "second");
  await responses.removeExpired(10);
  await responses.putCached([{ account_id, answer_key: "first", content: bytes, age_ms: 0, keep_ms: 60_000 }]);
  await responses.findCached(account_id, "first", 60_000);
  await responses.trimCached(1, 10);
  await responses.cachedBytes(account_id);
  await responses.emptyCached(account_id, null, 10);
  await responses.countCached([{ account_id, hour_ms: 0, hits: 1, misses: 1, saved_micro: 1n }]);
  await responses.cacheSums(account_id, 0, 3_600_000);
  await callContents(responses, account_id, bytes);
}
