import { describe, expect, test } from "bun:test";
import { packOpaque, packUnsigned } from "../shared/opaque.ts";
import { relayedInput } from "./relayed-input.ts";
import { sealContent } from "./seal.ts";

/** A conversation that began on a model of another protocol continues with a vendor of this one. */

const message = '{ "role":"user", "content":"\\u0048i, \\"camino:\\"" }';
const reasoning = (encrypted_content: string) =>
  JSON.stringify({ type: "reasoning", id: "rs_ours", summary: [], encrypted_content });
const relay = (text: string, quirks = {}) => relayedInput(text, JSON.parse(text), { id: "openai", quirks });

describe("Codex's metadata for its maker's server", () => {
  const told = '"internal_chat_message_metadata_passthrough": {"turn_id":"t", "content_item_kinds":["user.text"]}';

  test("goes to no vendor, and every other byte stays", () => {
    const item = (member: string) => `{ "role":"developer", ${member}"content":"\\u0048i", "n":1.10}`;
    expect(relay(`[ ${item(`${told}, `)} ,${message}]`)).toBe(`[ ${item("")} ,${message}]`);
    const system = item("").replace("developer", "system");
    expect(relay(`[${item(`${told}, `)}]`, { no_developer_role: true })).toBe(`[${system}]`);
  });

  test("is also taken from reasoning that is unpacked", () => {
    const content = packOpaque({ family: "openai", form: "encrypted", data: "gAAA" });
    const item = `{"type":"reasoning","summary":[],"encrypted_content":${JSON.stringify(content)},${told}}`;
    expect(JSON.parse(relay(`[${item}]`))).toEqual([{ type: "reasoning", summary: [], encrypted_content: "gAAA" }]);
  });

  test("is text like any other where a user writes its name", () => {
    const text = `[{"role":"user","content":${JSON.stringify(told)}}]`;
    expect(relay(text)).toBe(text);
  });
});

test("an id of a call that is longer than OpenAI takes it is shortened, equal in call and output", () => {
  const long = "x".repeat(65);
  const item = (type: string, id: string) => `{ "type":"${type}", "call_id":"${id}", "n":1.10}`;
  const short = `call_${Bun.hash(long).toString(36)}`;
  const written = (id: string) =>
    `[ ${message} ,${item("function_call", id)}, ${item("function_call", "c")},${item("function_call_output", id)}]`;
  expect(relay(written(long))).toBe(written(short));
  expect(relay(written("x".repeat(64)))).toBe(written("x".repeat(64)));
});

test("an id of a call that another call has becomes another, equal in call and output", () => {
  const item = (type: string, id: string) => `{ "type":"${type}", "call_id":"${id}", "n":1.10}`;
  const call = (id: string) => item("function_call", id);
  const output = (id: string) => item("function_call_output", id);
  const written = (...ids: string[]) => {
    const [a = "", b = "", c = "", d = ""] = ids;
    const turns = [call(a), output(a), call(b), reasoning("gAAA"), item("custom_tool_call", c), output(b)];
    return `[ ${[...turns, item("custom_tool_call_output", c), message, call(d), output(d)].join(" , ")}]`;
  };
  expect(relay(written("c", "c", "c", "c"))).toBe(written("c", "c_2", "c_3", "c_4"));
  expect(relay(written("c", "d", "e", "f"))).toBe(written("c", "d", "e", "f"));
});

describe("reasoning that the client gives back", () => {
  test("stays unchanged where a vendor of this protocol made it", () => {
    const text = `[ ${message} ,${reasoning("gAAA")}]`;
    expect(relay(text)).toBe(text);
  });

  test("is left out where another family made it, and so are seals of calls", () => {
    const signature = { family: "anthropic", form: "signature", data: "s+/=" } as const;
    const seal = sealContent({ ...signature, family: "google" }, { call_id: "call_1" });
    const text_seal = sealContent({ ...signature, family: "google" }, { text: "So." });
    const strangers = [packOpaque(signature), text_seal, seal, packUnsigned(""), packUnsigned("Hm"), "camino:broken"];
    const text = `[ ${strangers.map(reasoning).join(" , ")}, ${message} ,${reasoning(seal)}]`;
    expect(relay(text)).toBe(`[${message}]`);
    expect(relay(`[${reasoning(seal)}]`)).toBe("[]");
  });

  test("is unpacked where a vendor of this family made it through another protocol", () => {
    const own = { family: "openai", form: "encrypted", data: "gAAA" } as const;
    expect(JSON.parse(relay(`[${reasoning(packOpaque({ ...own, id: "rs_1" }))}]`))).toEqual([
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
    ]);
    expect(JSON.parse(relay(`[${reasoning(packOpaque(own))}]`))).toEqual([
      { type: "reasoning", summary: [], encrypted_content: "gAAA" },
    ]);
  });

  test("keeps its text for a vendor that accepts the text", () => {
    const signed = packOpaque({ family: "anthropic", form: "signature", data: "s" });
    const item = (fields: object, encrypted_content: string) =>
      JSON.stringify({ type: "reasoning", id: "rs_ours", summary: [], ...fields, encrypted_content });
    const summary = [{ type: "summary_text", text: "Hm" }];
    const input = `[${item({ summary }, packUnsigned(""))},${item({}, packUnsigned("Hidden"))},${item({ summary }, signed)},${reasoning(signed)}]`;
    const back = (text: string) => ({ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text }] });
    expect(JSON.parse(relay(input, { reasoning_replay: "reasoning_content" }))).toEqual([
      back("Hm"),
      back("Hidden"),
      back("Hm"),
    ]);
    expect(relay(input)).toBe("[]");
  });

  test("is unpacked also where the developer's role is changed", () => {
    const packed = packOpaque({ family: "google", form: "signature", data: "x" });
    const text = `[{"role":"developer","content":"a"},${reasoning(packed)} , ${message}]`;
    expect(relay(text, { no_developer_role: true })).toBe(`[{"role":"system","content":"a"},${message}]`);
  });
});

describe("a compaction that the client gives back", () => {
  const compaction = (encrypted_content: string) =>
    JSON.stringify({ type: "compaction", id: "cmp_ours", encrypted_content });
  const packed = (family: string) => packOpaque({ family, form: "encrypted", data: "gAAA", id: "cmp_1" });
  const at = (id: string, content: string, issuer?: string) => {
    const text = `[${message},${compaction(content)}]`;
    return relayedInput(text, JSON.parse(text), { id, quirks: {}, ...(issuer !== undefined && { issuer }) });
  };

  test.each([
    ["openai", "gAAA", undefined],
    ["proxy", "gAAA", "openai"],
  ])("stays unchanged where %s made it", (id, content, issuer) => {
    expect(at(id, content, issuer)).toBe(`[${message},${compaction(content)}]`);
  });

  test.each([
    ["xai", "xai"],
    ["openai", "openai"],
  ])("is unpacked for %s, byte for byte", (id, family) => {
    expect(JSON.parse(at(id, packed(family)))[1]).toEqual({
      type: "compaction",
      id: "cmp_1",
      encrypted_content: "gAAA",
    });
  });

  test.each([
    ["openai", packed("xai")],
    ["xai", packed("azure")],
    ["xai", "gAAA"],
    ["openai", "camino:broken"],
  ])("is a 400 at %s where another made it, as the model would know nothing of what it stands for", (id, content) => {
    expect(() => at(id, content)).toThrow("'input[1]' is a compaction that another vendor encrypted");
  });
});
