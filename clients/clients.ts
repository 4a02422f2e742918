import type { Client } from "./client.ts";
import { claudeCode } from "./programs/claude-code/index.ts";

/** Every client, in the order of the report: a new one is a file in programs/ or sdks/ and a line here. */
export const CLIENTS: readonly Client[] = [claudeCode];
