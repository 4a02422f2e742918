import type { StreamEvent } from "../../core/answer/stream-event.ts";

export type Emit = (event: StreamEvent) => void;

/** Rewrites one answer's events on their way to the client; may hold some back, drop some, or add some. */
export interface EventPass {
  take(event: StreamEvent, emit: Emit): void;
}

/** Chains several passes, in order, before `sink`. */
export function throughPasses(passes: readonly EventPass[], sink: Emit): Emit {
  return passes.reduceRight<Emit>((next, pass) => (event) => pass.take(event, next), sink);
}
