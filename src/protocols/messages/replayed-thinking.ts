import type { VendorQuirks } from "../../core/catalog.ts";
import type { WireBlock, WireThinking } from "./wire-blocks.ts";

/**
 * Thinking for vendors of this protocol that want it back as text and sign nothing (`reasoning_replay`): DeepSeek,
 * Moonshot, Z.ai. Relay and translation both ask here (docs/rulings.md 166).
 */

/** Whether the vendor takes thinking that nobody signed, and wants some beside each call of a tool. */
export function takesUnsigned({ reasoning_replay }: VendorQuirks): boolean {
  return reasoning_replay === "reasoning_content";
}

/** Thinking as such a vendor writes it. */
export function unsignedThinking(thinking: string): WireThinking {
  return { type: "thinking", thinking, signature: "" };
}

/** Whether an answer calls tools and does not say what it thought before. */
export function lacksThinking(content: readonly Pick<WireBlock, "type">[]): boolean {
  const has = (type: string) => content.some((block) => block.type === type);
  return has("tool_use") && !has("thinking") && !has("redacted_thinking");
}
