import { refuseMore, refuseMoreBlocks } from "../shared/check-bounds.ts";

/** The members of a message whose arrays hold content blocks and tool calls. */
const HOLDERS = ["content", "tool_calls"];

/** Throws where a body has more messages, blocks, tools or stop sequences than a request may have (docs/api.md 8). */
export function checkBounds(text: string, body: Readonly<Record<string, unknown>>): void {
  const code = "unsupported_parameter";
  refuseMore(body.messages, { bound: "messages", place: "messages", of: "messages", code: "invalid_messages" });
  refuseMore(body.tools, { bound: "tools", place: "tools", of: "tools", code });
  refuseMore(body.functions, { bound: "tools", place: "functions", of: "functions", code });
  refuseMore(body.stop, { bound: "stop_sequences", place: "stop", of: "stop sequences", code });
  refuseMoreBlocks(text, body.messages, HOLDERS, { place: "messages", code: "invalid_messages" });
}
