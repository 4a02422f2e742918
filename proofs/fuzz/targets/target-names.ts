/** The names of the targets, for who does not load them: their modules are loaded with instrumentation only. */
export const TARGET_NAMES = [
  "http-requests",
  "http-answers",
  "json",
  "sse",
  "event-stream",
  "streams",
  "wholes",
  "reading",
  "requests",
  "strict-targets",
  "decision-answers",
  "forms",
] as const;

export type TargetName = (typeof TARGET_NAMES)[number];
