import { describe, expect, test } from "bun:test";
import { replay } from "../../../proofs/support/replay-stream.ts";
import { ChatStream } from "./stream.ts";

/**
 * What openai-python reads of chunks beyond what openai-node does (docs/rulings.md 202): it skips chunks of another kind, puts the
 * strings of all deltas one behind the other, and asserts that each piece of a call has its function.
 */

type Data = Record<string, unknown>;
interface Choice {
  readonly index: unknown;
  readonly delta: Data;
  readonly finish_reason?: unknown;
}

const chunk = (delta: Data, more: Data = {}) => ({
  ...{ id: "c1", object: "chat.completion.chunk", created: 1_700_000_000, model: "m" },
  ...{ choices: [{ index: 0, delta, finish_reason: null }], ...more },
});

function relayed(chunks: readonly Data[], write = (one: Data) => JSON.stringify(one)): Data[] {
  const stream = new ChatStream({ model_id: "acme/swift", issuer: "acme", choices: 1, shows_usage: false });
  const frames = chunks.map((one) => `data: ${write(one)}\n\n`).join("");
  const { output } = replay(stream, Buffer.from(`${frames}data: [DONE]\n\n`), null);
  return [...output.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? "") as Data);
}

const deltasOf = (sent: readonly Data[]) =>
  sent.flatMap(({ choices }) => (choices as readonly Choice[]).map(({ delta }) => delta));

const WRITERS: Readonly<Record<string, (one: Data) => string>> = {
  "without blanks": (one) => JSON.stringify(one),
  "with blanks": (one) => JSON.stringify(one, null, 1).replaceAll(/\n */g, " "),
};

describe.each(Object.entries(WRITERS))("chunks %s", (_name, write) => {
  test.each([
    ["first", (content: string) => ({ role: "assistant", content })],
    ["last", (content: string) => ({ content, role: "assistant" })],
    ["null", (content: string) => ({ content, role: null })],
  ])("have the role once, where a vendor repeats it %s", (_where, delta) => {
    const said = ["Hel", "lo", ' "role":"assistant"', "!", ""].map((content) => chunk(delta(content)));
    const deltas = deltasOf(relayed(said, write));
    expect(deltas.map(({ content }) => content ?? "").join("")).toBe('Hello "role":"assistant"!');
    expect(deltas.filter((one) => "role" in one)).toEqual([{ role: "assistant", content: "Hel" }]);
  });

  test("have the role once, where a vendor repeats it alone", () => {
    const deltas = deltasOf(
      relayed([chunk({ role: "assistant" }), chunk({ role: "assistant" }), chunk({ content: "x" })], write),
    );
    expect(deltas).toEqual([{ role: "assistant" }, {}, { content: "x" }, {}]);
  });

  test("have no fingerprint that is null, which OpenRouter's SDK refuses", () => {
    for (const said of [
      { system_fingerprint: null, ...chunk({ content: "a" }) },
      chunk({}, { system_fingerprint: null }),
    ])
      for (const one of relayed([said, said, said], write)) expect(one).not.toHaveProperty("system_fingerprint");
    const own = chunk({ content: '"system_fingerprint":null' }, { system_fingerprint: "fp_1" });
    for (const one of relayed([own, own], write).slice(0, 2)) expect(one.system_fingerprint).toBe("fp_1");
  });

  test.each([[""], ["chunk"], [null], [undefined]])("have the public kind in place of %j", (object) => {
    const sent = relayed([chunk({ content: "Hel" }), chunk({ content: "lo" }, { object })], write);
    expect(new Set(sent.map((one) => one.object))).toEqual(new Set(["chat.completion.chunk"]));
  });
});

test("each piece of a call has its function", () => {
  const call = { index: 0, id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
  const sent = relayed([chunk({ tool_calls: [call] }), chunk({ tool_calls: [{ index: 0 }] })]);
  for (const { tool_calls } of deltasOf(sent).slice(0, 2))
    for (const piece of tool_calls as readonly Data[]) expect(piece.function).toEqual(expect.any(Object));
});

test("an entry of the choices that is null is left out", () => {
  const sent = relayed([chunk({ content: "a" }), { ...chunk({}), id: null, choices: [null] }, chunk({ content: "b" })]);
  for (const { choices } of sent) expect(choices).not.toContain(null);
});

test("no choice is missing between two others, where openai-node reads it", () => {
  const far = { ...chunk({}), choices: [{ index: 2, delta: { content: "b" }, finish_reason: "stop" }] };
  const choices = relayed([chunk({ content: "a" }), far]).flatMap((one) => one.choices as readonly Choice[]);
  const ended = choices.filter(({ finish_reason }) => finish_reason === "stop").map(({ index }) => index);
  expect(ended).toEqual([2, 0, 1]);
});

test("every choice that has begun is ended, asked for or not, and when the answer is cut", () => {
  const other = (index: unknown, content: string) => ({ ...chunk({}), choices: [{ index, delta: { content } }] });
  const said = [chunk({ content: "a" }), other(1, "b"), chunk({ content: "c" }), other(1, "d"), other(null, "e")];
  const choices = relayed(said).flatMap((one) => one.choices as readonly Choice[]);
  expect(choices.filter(({ finish_reason }) => finish_reason === "stop").map(({ index }) => index)).toEqual([0, 1]);
  expect(choices.every(({ index }) => typeof index === "number")).toBe(true);

  const stream = new ChatStream({ model_id: "acme/swift", issuer: "acme", choices: 1, shows_usage: false });
  stream.push(Buffer.from(said.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("")));
  const usage = { input_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0, output_tokens: 1, reasoning_tokens: 0 };
  const cut = Buffer.from(stream.cut(usage)).toString();
  expect([...cut.matchAll(/"index":(\d)/g)].map(([, index]) => index)).toEqual(["0", "1"]);
});
