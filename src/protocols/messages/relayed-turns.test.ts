import { expect, test } from "bun:test";
import type { VendorQuirks } from "../../core/catalog/catalog.ts";
import { packHidden, packOpaque, packUnsigned } from "../shared/opaque.ts";
import { relayedTurns } from "./relayed-turns.ts";

/** A conversation with a vendor of this protocol, parts of which other vendors answered (docs/rulings.md 12, 166). */

function relay(text: string, quirks: VendorQuirks = {}, is_off = false): string {
  return relayedTurns(JSON.parse(text), text, { id: "anthropic", quirks }, is_off) ?? text;
}

const TEXT = { reasoning_replay: "reasoning_content" } as const;
const user = '{ "role":"user", "content":"\\u0048i, \\"camino:\\" 1.10" }';
const call = '{"type":"tool_use", "id":"t","name":"look","input":{"n":98765432109876543210}}';
const thinking = (signature: string, text = "Hm") => JSON.stringify({ type: "thinking", thinking: text, signature });
const redacted = (data: string) => JSON.stringify({ type: "redacted_thinking", data });
const seal = redacted(packOpaque({ family: "google", form: "signature", data: "c2ln", id: "t" }));
const foreign = packOpaque({ family: "openai", form: "encrypted", data: "gAAA", id: "rs_1" });
const answer = (...blocks: string[]) => `{"role":"assistant","content":[${blocks.join(",")}]}`;
const conversation = (...turns: string[]) => `[${turns.join(",")}]`;

test.each<[string, VendorQuirks, string, string]>([
  [
    "its own signed thinking unchanged",
    {},
    `[ ${user} , ${answer(thinking("c2ln"), redacted("aGlk"), call)}]`,
    `[ ${user} , ${answer(thinking("c2ln"), redacted("aGlk"), call)}]`,
  ],
  [
    "an answer without other vendors' thinking and seals",
    {},
    conversation(user, answer(thinking(foreign), redacted(foreign), seal, call, seal), user),
    conversation(user, answer(call), user),
  ],
  [
    "an answer without unsigned thinking",
    {},
    conversation(user, answer(thinking(packUnsigned("")), call)),
    conversation(user, answer(call)),
  ],
  [
    "an answer without thinking whose signature is null or empty",
    {},
    conversation(
      user,
      answer('{"type":"thinking","thinking":"Hm","signature":null}', call),
      user,
      answer(thinking("", ""), '{"type":"thinking","thinking":""}', call),
    ),
    conversation(user, answer(call), user, answer(call)),
  ],
  [
    "thinking whose signature is null without that member, where the vendor takes unsigned thinking",
    TEXT,
    conversation(user, answer('{"type":"thinking","thinking":"Hm","signature":null}', call)),
    conversation(user, answer('{"type":"thinking","thinking":"Hm"}', call)),
  ],
  ["no answer that has no blocks left", {}, conversation(user, answer(seal), user), conversation(user, user)],
  ["no damaged seal", {}, conversation(user, answer(redacted("camino:goo"), call)), conversation(user, answer(call))],
  [
    "unsigned thinking where the vendor accepts it",
    TEXT,
    conversation(user, answer(thinking(packUnsigned("")), call)),
    conversation(user, answer(thinking(""), call)),
  ],
  [
    "the text of thinking that the client was not shown",
    TEXT,
    conversation(user, answer(thinking(packUnsigned("Hidden"), ""), call)),
    conversation(user, answer(thinking("", "Hidden"), call)),
  ],
  [
    "signed thinking with the text that the client was not shown",
    {},
    conversation(user, answer(thinking(packHidden("Hidden", "c2ln"), ""), call)),
    conversation(user, answer(thinking("c2ln", "Hidden"), call)),
  ],
  [
    "an answer without other vendors' hidden thinking",
    {},
    conversation(user, answer(thinking(packHidden("Hidden", foreign), ""), call)),
    conversation(user, answer(call)),
  ],
  [
    "no damaged hidden text",
    {},
    conversation(user, answer(thinking("camino:hidden:SGk", ""), call)),
    conversation(user, answer(call)),
  ],
  [
    "empty thinking where the client kept none",
    TEXT,
    conversation(user, answer(call)),
    conversation(user, answer(thinking("", ""), call)),
  ],
  [
    "the text of thinking that another family signed",
    TEXT,
    conversation(user, answer(thinking(foreign), call)),
    conversation(user, answer(thinking("", "Hm"), call)),
  ],
  [
    "an answer without calls unchanged",
    TEXT,
    conversation(user, answer('{"type":"text", "text":"So."}'), '{"role":"assistant","content":"So."}'),
    conversation(user, answer('{"type":"text", "text":"So."}'), '{"role":"assistant","content":"So."}'),
  ],
])("a vendor of messages gets %s", (_name, quirks, text, expected) => {
  expect(relay(text, quirks)).toBe(expected);
  expect(relay(expected, quirks)).toBe(expected);
});

test("a request that turns thinking off gets no thinking block added", () => {
  const text = conversation(user, answer(call));
  expect(relay(text, TEXT, true)).toBe(text);
});
