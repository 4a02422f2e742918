import { describe, expect, test } from "bun:test";
import { checkMessagesStream } from "../../../proofs/grammars/messages/stream-grammar.ts";
import { replay } from "../../../proofs/support/replay-stream.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import { eventFrame } from "../shared/event-frames.ts";
import { readWholeMessage } from "./relay.ts";
import { MessagesStream } from "./stream.ts";

const CALL = { type: "tool_use", id: "toolu_1", name: "f", input: {} };
const TEXT = { type: "text", text: "Hi" };
const HOSTED = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
const USAGE = { input_tokens: 3, output_tokens: 2 };

function streamed(block: object, stop_reason: string, stop_sequence: string | null = null): Buffer {
  const message = { id: "m", type: "message", role: "assistant", model: "up", content: [], usage: USAGE };
  const frame = (type: string, data: object) => eventFrame(type, { type, ...data });
  return Buffer.concat([
    frame("message_start", { message: { ...message, stop_reason: null, stop_sequence: null } }),
    frame("content_block_start", { index: 0, content_block: block }),
    frame("content_block_stop", { index: 0 }),
    frame("message_delta", { delta: { stop_reason, stop_sequence, later: 1 }, usage: USAGE, future: 2 }),
    frame("message_stop", {}),
  ]);
}

function whole(block: object, stop_reason: string | null, stop_sequence: string | null = null): string {
  return JSON.stringify({
    ...{ id: "m", type: "message", role: "assistant", model: "up", content: [block], future: 2 },
    ...{ stop_reason, stop_sequence, usage: USAGE },
  });
}

function shownEnd(output: string): object {
  const line = output.split("\n").find((each) => each.startsWith('data: {"type":"message_delta"')) ?? "";
  return JSON.parse(line.slice(6)) as object;
}

/** [the vendor's stop reason, its stop sequence, the stop reason that the client gets] */
const WITH_A_CALL = [
  ["end_turn", null, "tool_use"],
  ["stop_sequence", "###", "tool_use"],
  ["tool_use", null, "tool_use"],
  ["of_a_later_year", null, "tool_use"],
  // A cut, paused or refused answer has no call that waits for its result.
  ["max_tokens", null, "max_tokens"],
  ["refusal", null, "refusal"],
  ["pause_turn", null, "pause_turn"],
] as const;

describe("a relayed message with a tool call ends in tool_use (docs/rulings.md 6)", () => {
  test.each(WITH_A_CALL)("streamed: %s, %p → %s", (said, sequence, told) => {
    const { output } = replay(new MessagesStream("acme/m"), streamed(CALL, said, sequence), null);
    const delta = { stop_reason: told, stop_sequence: null, later: 1 };
    expect(shownEnd(output)).toEqual({ type: "message_delta", delta, usage: USAGE, future: 2 });
    expect(checkMessagesStream(output)).toEqual({ end: "stop" });
  });

  test.each(WITH_A_CALL)("whole: %s, %p → %s", (said, sequence, told) => {
    const { body } = readWholeMessage(whole(CALL, said, sequence), "acme/m");
    expect(Buffer.from(bytesOf(body)).toString()).toBe(whole(CALL, told).replace('"up"', '"acme/m"'));
  });

  test.each([TEXT, HOSTED])("and other messages keep their stop reason: %p", (block) => {
    const { output } = replay(new MessagesStream("acme/m"), streamed(block, "end_turn"), null);
    expect(shownEnd(output)).toMatchObject({ delta: { stop_reason: "end_turn" } });
    const { body } = readWholeMessage(whole(block, "end_turn"), "acme/m");
    expect(Buffer.from(bytesOf(body)).toString()).toContain('"stop_reason":"end_turn"');
  });
});
