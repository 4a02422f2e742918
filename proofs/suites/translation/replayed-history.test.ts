import { describe, expect, test } from "bun:test";
import type { Exchange } from "../../../src/core/answer/exchange.ts";
import type { Protocol } from "../../../src/core/endpoints.ts";
import { adapterBetween } from "../../../src/main/protocols.ts";
import { responses } from "../../../src/protocols/responses/client.ts";
import { decodeInput } from "../../../src/protocols/responses/decode-input.ts";
import { targetFor } from "../../support/target.ts";

/** docs/rulings.md 80: a session never dies of what it said before, whichever model goes on with it. */

const NO_HEADERS = { get: () => null };
const VENDORS: readonly Protocol[] = ["chat-completions", "messages", "gemini", "bedrock-converse"];

/** Pairs of items as public APIs write them, and words that a model must still read. */
const HISTORY: Readonly<Record<string, readonly [items: readonly object[], words: readonly string[]]>> = {
  "a computer": [
    [
      {
        ...{ type: "computer_call", id: "cu_secret", call_id: "cu_secret", status: "completed" },
        action: { type: "click", button: "left", x: 3, y: 14 },
        pending_safety_checks: [{ id: "sc_secret" }],
      },
      {
        ...{ type: "computer_call_output", call_id: "cu_secret" },
        output: { type: "computer_screenshot", image_url: "data:image/png;base64,c2VjcmV0" },
      },
    ],
    ["click", "left", "computer_screenshot", "(data)"],
  ],
  "a local shell": [
    [
      {
        ...{ type: "local_shell_call", id: "ls_secret", call_id: "ls_secret", status: "completed" },
        action: { type: "exec", command: ["git", "status"], env: {} },
      },
      { type: "local_shell_call_output", id: "ls_secret", output: "nothing to commit" },
    ],
    ["git", "status", "nothing to commit"],
  ],
  "a shell": [
    [
      { type: "shell_call", call_id: "sh_secret", action: { commands: ["make test"], timeout_ms: 9 } },
      {
        ...{ type: "shell_call_output", call_id: "sh_secret" },
        output: [{ stdout: "12 passed", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
      },
    ],
    ["make test", "12 passed", "exit_code"],
  ],
  "a patch": [
    [
      {
        ...{ type: "apply_patch_call", call_id: "ap_secret", status: "completed" },
        operation: { type: "update_file", path: "src/a.ts", diff: "+const a = 1;" },
      },
      { type: "apply_patch_call_output", call_id: "ap_secret", status: "failed", output: "no such file" },
    ],
    ["src/a.ts", "+const a = 1;", "failed", "no such file"],
  ],
  "a server of tools": [
    [
      {
        type: "mcp_list_tools",
        id: "mcpl_secret",
        server_label: "docs",
        tools: [{ name: "unseen", input_schema: {} }],
      },
      { type: "mcp_approval_request", id: "mcpr_secret", server_label: "docs", name: "find", arguments: '{"q":"x"}' },
      { type: "mcp_approval_response", approval_request_id: "mcpr_secret", approve: true, reason: "fine" },
      { type: "mcp_call", id: "mcp_secret", server_label: "docs", name: "find", arguments: "{}", output: "found it" },
    ],
    ["docs", "find", "approve", "fine", "found it"],
  ],
  "code that ran": [
    [
      {
        ...{ type: "code_interpreter_call", id: "ci_secret", container_id: "cntr_secret", status: "completed" },
        ...{ code: "print(6 * 7)", outputs: [{ type: "logs", logs: "42" }] },
      },
    ],
    ["print(6 * 7)", "42"],
  ],
  "a search of files": [
    [
      {
        ...{ type: "file_search_call", id: "fs_secret", queries: ["tariff"] },
        results: [{ file_id: "file-secret", filename: "prices.md", text: "It is 3.", score: 0.9 }],
      },
    ],
    ["tariff", "prices.md", "It is 3."],
  ],
  "a program": [
    [
      { type: "program", call_id: "pr_secret", code: "await f()", fingerprint: "secret" },
      { type: "program_output", call_id: "pr_secret", result: "done", status: "completed" },
    ],
    ["await f()", "done"],
  ],
};

const user = (text: string) => ({ type: "message", role: "user", content: text });
const answer = (text: string) => ({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });

function prepare(items: readonly object[], vendor: Protocol, more: object = {}): Exchange {
  const body = { model: "m", input: [user("begin"), ...items, answer("so far"), user("go on")], ...more };
  const way = adapterBetween("responses", vendor);
  if (way === null) throw new Error("no way");
  return way.prepare(responses.readRequest(JSON.stringify(body), NO_HEADERS), targetFor(vendor), NO_HEADERS);
}

describe.each(Object.entries(HISTORY))("a history with %s", (_what, [items, words]) => {
  test.each(VENDORS)("goes on at a vendor of %s, in place, without ids, and named", (vendor) => {
    const { body, ignored } = prepare(items, vendor);
    const places = ["begin", ...words, "so far", "go on"].map((word) =>
      body.indexOf(JSON.stringify(word).slice(1, -1)),
    );
    expect(places).not.toContain(-1);
    expect(places[0]).toBe(Math.min(...places));
    expect(places.slice(-2)).toEqual([...places].sort((a, b) => a - b).slice(-2));
    expect(body).not.toMatch(/secret|c2VjcmV0|unseen/);
    const types = items.map((item) => `input.${(item as { type: string }).type}`);
    expect([...ignored].sort()).toEqual([...new Set(types)].sort());
  });

  test("is relayed to a vendor of its own protocol as it came, where it names nothing that the vendor keeps", () => {
    const { body, ignored } = prepare(items, "responses");
    const names_state = /cntr_secret|file-secret/.test(JSON.stringify(items));
    for (const item of items) if (!names_state) expect(body).toContain(JSON.stringify(item));
    if (!names_state) expect(ignored).toEqual([]);
  });
});

test("carried text is no longer than what was sent, however deep it is", () => {
  let deep: unknown = "x";
  for (let level = 0; level < 400; level++) deep = [deep];
  const item = { type: "mcp_call", id: "mcp_1", name: "f", arguments: "{}", output: "y".repeat(100_000), deep };
  const { messages } = decodeInput(null, [item]);
  const [said] = messages[0]?.content ?? [];
  expect(said?.type === "text" ? said.text.length : 0).toBeLessThan(
    JSON.stringify(item).length + "[mcp_call: ]".length,
  );
});

describe("an output without the id of its call", () => {
  const call = (name: string, call_id: string) => ({ type: "function_call", name, call_id, arguments: "{}" });
  const output = (more: object, text = "ok") => ({ type: "function_call_output", output: text, ...more });
  const answered = (input: readonly object[]) =>
    decodeInput(null, input).messages.flatMap((message) => (message.role === "tool" ? [message.call_id] : []));

  test("is relayed as it came", () => {
    for (const more of [{ name: "f" }, { name: "f", call_id: null }, {}])
      expect(prepare([call("f", "c"), output(more)], "responses").body).toContain(JSON.stringify(output(more)));
  });

  test("answers the nearest call of its tool that is open", () => {
    const calls = [call("f", "1"), call("g", "2"), call("f", "3")];
    expect(answered([...calls, output({ name: "f" }), output({ name: "g" }), output({ name: "f" })])).toEqual([
      "3",
      "2",
      "1",
    ]);
    expect(answered([...calls, output({ call_id: "3" }), output({ name: "f" })])).toEqual(["3", "1"]);
    const again = [call("f", "1"), output({ call_id: "1" }), call("f", "1"), output({ name: "f" })];
    expect(answered(again)).toEqual(["1", "1"]);
  });

  test.each([
    ["a tool that was not called", [call("f", "1"), output({ name: "g" })]],
    ["a call that has its output", [call("f", "1"), output({ call_id: "1" }), output({ name: "f" })]],
    ["nothing", [call("f", "1"), output({})]],
  ])("is a 400 that says what is allowed where it answers %s", (_what, input) => {
    expect(() => decodeInput(null, input)).toThrow("allowed for this model: the 'call_id' of a call before it");
  });

  test("takes time in proportion to the input, whatever the order", () => {
    const calls = Array.from({ length: 20_000 }, (_, index) => call("f", String(index)));
    expect(answered([...calls, ...calls.map(() => output({ name: "f" }))])).toHaveLength(20_000);
  });
});
