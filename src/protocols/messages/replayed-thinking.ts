import type { VendorQuirks } from "../../core/catalog/catalog.ts";
import type { WireBlock, WireThinking } from "./wire-blocks.ts";

/**
 * Thinking for vendors of this protocol that require it back as text and sign nothing (`reasoning_replay`): DeepSeek,
 * Moonshot, Z.ai. Relay and translation share these rules (docs/rulings.md 166).
 */

/** Whether the vendor accepts unsigned thinking, and requires thinking beside each tool call. */
export function takesUnsigned({ reasoning_replay }: VendorQuirks): boolean {
  return reasoning_replay === "reasoning_content";
}

/** A thinking block in the shape of such a vendor. */
export function unsignedThinking(thinking: string): WireThinking {
  return { type: "thinking", thinking, signature: "" };
}

/** Whether an answer calls tools and has no thinking block. */
export function lacksThinking(content: readonly Pick<WireBlock, "type">[]): boolean {
  const has = (type: string) => content.some((block) => block.type === type);
  return has("tool_use") && !has("thinking") && !has("redacted_thinking");
}
