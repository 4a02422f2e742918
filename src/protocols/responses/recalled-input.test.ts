import { describe, expect, test } from "bun:test";
import type { RecalledItem } from "../../core/answer/exchange.ts";
import type { Vendor } from "../../core/catalog/catalog.ts";
import { recalledInput } from "./recalled-input.ts";
import { encryptedContent } from "./seal.ts";

/** Which of an answer's items a vendor gets back (docs/adr/0017). */

const vendor = (id: string, quirks: Partial<Vendor["quirks"]> = {}) => ({ id, quirks }) as unknown as Vendor;

const SENT = { role: "user", content: "x", id: "msg_own" };
const SEALED = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "opaque" };
const PLAIN = { type: "reasoning", id: "rs_2", summary: [], content: [{ type: "reasoning_text", text: "hm" }] };
const OURS = {
  ...SEALED,
  encrypted_content: encryptedContent({ family: "openai", form: "encrypted", data: "opaque" }),
};
const MESSAGE = { type: "message", id: "msg_1", role: "assistant", content: [] };
const CALL = { type: "function_call", id: "fc_1", call_id: "c", name: "f", arguments: "{}" };
const SEARCH = { type: "web_search_call", id: "ws_1", status: "completed" };
const withoutId = ({ id: _, ...item }: { id: string }) => item;

function given(answer: readonly object[], target: Vendor): unknown {
  const items = [SENT, ...answer];
  const from: RecalledItem = { vendor: "acme", response_key: "k" };
  const recalled = new Map<unknown, RecalledItem>(answer.map((item) => [item, from]));
  const result = recalledInput({ text: JSON.stringify(items), items }, recalled, target);
  const [sent, ...rest] = JSON.parse(result.text) as unknown[];
  expect(sent).toEqual(SENT);
  expect(result.items).toHaveLength(rest.length + 1);
  return rest;
}

describe("an answer's items", () => {
  test("go back to their vendor unchanged, with sealed reasoning", () => {
    expect(given([SEALED, MESSAGE, CALL, SEARCH], vendor("acme"))).toEqual([SEALED, MESSAGE, CALL, SEARCH]);
  });

  test("go to their vendor without ids where its reasoning was not sealed: it would look the reasoning up", () => {
    const back = [withoutId(MESSAGE), withoutId(CALL), SEARCH];
    expect(given([PLAIN, MESSAGE, CALL, SEARCH], vendor("acme"))).toEqual(back);
  });

  test("keep plain reasoning for a vendor that accepts it", () => {
    const takes = vendor("acme", { reasoning_replay: "reasoning_content" } as never);
    expect(given([PLAIN, CALL], takes)).toEqual([PLAIN, CALL]);
  });

  test("go to another vendor without reasoning and ids", () => {
    expect(given([SEALED, PLAIN, MESSAGE], vendor("other"))).toEqual([withoutId(MESSAGE)]);
  });

  test("keep reasoning that this gateway sealed, whatever vendor made it: a later step checks the family", () => {
    expect(given([OURS, MESSAGE], vendor("other"))).toEqual([OURS, withoutId(MESSAGE)]);
  });
});
