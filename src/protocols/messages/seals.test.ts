import { expect, test } from "bun:test";
import type { AssistantPart } from "../../core/answer/generation.ts";
import { packOpaque } from "../shared/opaque.ts";
import { messages } from "./client.ts";
import { decodeRequest } from "./decode-request.ts";
import { sealOf } from "./opaque-values.ts";

/** docs/rulings.md 165: a seal belongs to the call or text that it names, wherever a client puts it. */

const call = (id: string) => ({ type: "tool_use", id, name: "look", input: {} });
const text = (said: string) => ({ type: "text", text: said });
const opaque = (data: string) => ({ family: "google", form: "signature", data }) as const;
const redacted = (data: string) => ({ type: "redacted_thinking", data });
const ofCall = (id: string, data = `seal-${id}`) => redacted(sealOf(opaque(data), { call_id: id }));
const ofText = (said: string) => redacted(sealOf(opaque(`seal-${said}`), { text: said }));
const question = { role: "user", content: "Go on." };

/** Calls and texts with their seals, by message. */
function sealed(...turns: readonly (readonly object[])[]): string[][] {
  const conversation = turns.flatMap((content) => [question, { role: "assistant", content }]);
  const body = JSON.stringify({ model: "m", max_tokens: 9, messages: conversation });
  const read = messages.readRequest(body, new Headers({ "anthropic-version": "2023-06-01" }));
  return decodeRequest(read).messages.flatMap(({ role, content }) =>
    role === "assistant" ? [(content as readonly AssistantPart[]).map(shown)] : [],
  );
}

function shown(part: AssistantPart): string {
  const name = part.type === "tool-call" ? part.id : part.text;
  return `${name} ${"opaque" in part ? (part.opaque?.data ?? "-") : "-"}`;
}

const thought = { type: "thinking", thinking: "Hm", signature: "c2ln" };

test.each<[string, readonly (readonly object[])[], readonly (readonly string[])[]]>([
  ["behind its call", [[call("a"), ofCall("a")]], [["a seal-a"]]],
  ["before its call", [[ofCall("a"), call("a")]], [["a seal-a"]]],
  ["with thinking between", [[ofCall("a"), thought, text("So."), call("a")]], [["Hm c2ln", "So. -", "a seal-a"]]],
  ["of parallel calls, all first", [[ofCall("b"), ofCall("a"), call("a"), call("b")]], [["a seal-a", "b seal-b"]]],
  ["of one of two calls", [[ofCall("b"), call("a"), call("b")]], [["a -", "b seal-b"]]],
  [
    "in each of two turns",
    [
      [ofCall("a"), call("a")],
      [call("b"), ofCall("b")],
    ],
    [["a seal-a"], ["b seal-b"]],
  ],
  ["in the turn after its call", [[call("a")], [ofCall("a"), call("b")]], [["a seal-a"], ["b -"]]],
  ["in the turn before its call", [[ofCall("a"), text("So.")], [call("a")]], [["So. -"], ["a seal-a"]]],
  [
    "where two turns have a call of one id",
    [
      [ofCall("a", "one"), call("a")],
      [call("a"), ofCall("a", "two")],
    ],
    [["a one"], ["a two"]],
  ],
  ["that came twice", [[ofCall("a"), call("a"), ofCall("a")]], [["a seal-a"]]],
  ["that came again with other data", [[ofCall("a"), call("a"), ofCall("a", "forged")]], [["a seal-a"]]],
  [
    "in another turn does not replace the seal in the call's own turn",
    [[ofCall("a"), call("a")], [ofCall("a", "forged")]],
    [["a seal-a"], []],
  ],
  ["that is missing", [[call("a")]], [["a -"]]],
  ["whose call is missing", [[ofCall("a"), call("b")]], [["b -"]]],
  ["that is cut short", [[redacted("camino:google:sig"), call("a")]], [["a -"]]],
  ["of another issuer", [[redacted("camino:acme:signature:a:x"), call("a")]], [["a x"]]],
  [
    "of a call with a name that objects have",
    [[ofCall("__proto__"), call("__proto__")]],
    [["__proto__ seal-__proto__"]],
  ],
  ["of text, before it", [[ofText("So."), call("a"), text("So.")]], [["a -", "So. seal-So."]]],
  ["of text that its client has trimmed", [[text("So."), ofText("So.\n")]], [["So. seal-So.\n"]]],
  ["of one of two texts", [[text("So."), text("Then."), ofText("So.")]], [["So. seal-So.", "Then. -"]]],
  ["of text that was altered", [[text("So what."), ofText("So.")]], [["So what. -"]]],
  ["that names nothing", [[text("So."), redacted(packOpaque(opaque("seal-of-what"))), call("a")]], [["So. -", "a -"]]],
])("a seal %s", (_name, turns, expected) => {
  expect(sealed(...turns)).toEqual(expected as string[][]);
});

test("a conversation with many seals is read in one pass", () => {
  const ids = Array.from({ length: 20_000 }, (_, at) => `call_${at}`);
  const strays = ids.map((id) => ofCall(`${id}-gone`));
  const found = sealed([...strays, ...ids.map((id) => ofCall(id)), ...ids.map(call)]);
  expect(found).toEqual([ids.map((id) => `${id} seal-${id}`)]);
});
