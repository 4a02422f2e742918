import { refuseMore, refuseMoreBlocks } from "../shared/check-bounds.ts";

/** The members of a message, and of a tool's result in it, whose arrays hold content blocks. */
const HOLDERS = ["content"];

/** Throws where a body has more messages, blocks, tools or stop sequences than a request may have (docs/api.md 8). */
export function checkBounds(text: string, body: Readonly<Record<string, unknown>>): void {
  const code = "invalid_request";
  refuseMore(body.messages, { bound: "messages", place: "messages", of: "messages", code });
  refuseMore(body.system, { bound: "blocks", place: "system", of: "content blocks", code });
  refuseMore(body.tools, { bound: "tools", place: "tools", of: "tools", code });
  refuseMore(body.stop_sequences, { bound: "stop_sequences", place: "stop_sequences", of: "stop sequences", code });
  refuseMoreBlocks(text, body.messages, HOLDERS, { place: "messages", code });
}
