import type { AnswerContext } from "../../core/answer/codec.ts";
import { newId } from "../../core/ids.ts";
import { NO_USAGE, type Usage } from "../../core/money/usage.ts";
import { writeUsage } from "./read-usage.ts";
import type { WireStop } from "./stop-reason.ts";

/** The members of a message around its content; strict clients require all of them (docs/rulings.md 1). */
export interface MessageMembers {
  readonly id: string | null;
  readonly stop: WireStop | null;
  readonly content: readonly object[];
  readonly usage: object;
}

const NO_STOP = { stop_reason: null, stop_sequence: null, stop_details: null };

/** A message object (docs/api.md 2.6). An answer without a vendor's id gets an id of the gateway's. */
export function writeMessage({ model }: AnswerContext, { id, stop, content, usage }: MessageMembers): object {
  const head = { id: id ?? newId("msg"), type: "message", role: "assistant", model, content };
  return { ...head, ...(stop ?? NO_STOP), container: null, usage };
}

export function messageUsage(usage: Usage | null): object {
  const told = writeUsage(usage ?? NO_USAGE);
  return { ...told, cache_creation: null, server_tool_use: null, service_tier: null, inference_geo: null };
}

/** The usage totals at the end of a stream. */
export function deltaUsage(usage: Usage | null): object {
  return { ...writeUsage(usage ?? NO_USAGE), server_tool_use: null };
}
