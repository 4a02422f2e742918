import type { Client } from "./client.ts";
import { GO_CLIENTS } from "./sdks/go/libraries.ts";
import { JAVASCRIPT_CLIENTS } from "./sdks/javascript/libraries.ts";
import { PYTHON_CLIENTS } from "./sdks/python/libraries.ts";
import { claudeCode } from "./programs/claude-code/index.ts";

/** Every client, in the order of the report: a new one is a file in programs/ or sdks/ and a line here. */
export const CLIENTS: readonly Client[] = [claudeCode, ...PYTHON_CLIENTS, ...JAVASCRIPT_CLIENTS, ...GO_CLIENTS];
