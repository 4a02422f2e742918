import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Protocol } from "../../../src/core/endpoints.ts";
import type { Mutilation, Mutilations } from "./mutilate.ts";
import { LARGE_CHAT, mutilatedChat, SMALL_CHAT } from "./mutilate-chat.ts";
import { LARGE_MESSAGES, mutilatedMessages, SMALL_MESSAGES } from "./mutilate-messages.ts";
import { LARGE, mutilatedStream, SMALL } from "./mutilate-responses.ts";
import type { Reading } from "./sdk-readers.ts";

/** The shape of a vendor's streams: what was recorded, and what may be done to it. */
export interface StreamShape {
  readonly vendor: Protocol;
  readonly recorded: readonly string[];
  readonly small: Readonly<Record<string, Mutilation>>;
  readonly large: Readonly<Record<string, Mutilation>>;
  readonly mutilate: (recorded: string, how: Mutilations) => { stream: Buffer; expected: Reading };
}

export const RESPONSES_SHAPE: StreamShape = {
  vendor: "responses",
  recorded: [
    ...["text", "tool-use", "parallel-tools", "interleaved-tools", "reasoning", "reasoning-text", "refusal"],
    "without-usage",
  ],
  small: SMALL,
  large: LARGE,
  mutilate: mutilatedStream,
};

export const SHAPES: readonly StreamShape[] = [
  RESPONSES_SHAPE,
  {
    vendor: "chat-completions",
    recorded: [
      ...["openai-text", "openai-tools", "openai-parallel-tools", "deepseek-reasoning", "groq-reasoning"],
      ...["mistral-tools", "xai-reasoning"],
    ],
    small: SMALL_CHAT,
    large: LARGE_CHAT,
    mutilate: mutilatedChat,
  },
  {
    vendor: "messages",
    recorded: ["text", "tool-use", "parallel-tools", "thinking", "redacted-thinking", "without-usage"],
    small: SMALL_MESSAGES,
    large: LARGE_MESSAGES,
    mutilate: mutilatedMessages,
  },
];

const FIXTURES = join(import.meta.dir, "../../fixtures");

/** A recorded stream of a shape. */
export function recordedStream({ vendor }: StreamShape, name: string): string {
  return readFileSync(join(FIXTURES, vendor, `${name}.sse`), "utf8");
}
