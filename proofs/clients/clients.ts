import type { Client } from "./client.ts";
import { aider } from "./programs/aider.ts";
import { claudeCode } from "./programs/claude-code/index.ts";
import { cline } from "./programs/cline.ts";
import { codex } from "./programs/codex/index.ts";
import { continueCli } from "./programs/continue.ts";
import { geminiCli } from "./programs/gemini-cli.ts";
import { openWebUi } from "./programs/open-webui.ts";
import { opencode } from "./programs/opencode.ts";
import { GO_CLIENTS } from "./sdks/go/libraries.ts";
import { JAVA_CLIENTS } from "./sdks/java/libraries.ts";
import { JAVASCRIPT_CLIENTS } from "./sdks/javascript/libraries.ts";
import { PYTHON_CLIENTS } from "./sdks/python/libraries.ts";

/** Every client, in the order of the report. A new client is a file in programs/ or sdks/ and a line here. */
export const CLIENTS: readonly Client[] = [
  ...[claudeCode, codex, geminiCli, opencode, aider, continueCli, cline, openWebUi],
  ...[...PYTHON_CLIENTS, ...JAVASCRIPT_CLIENTS, ...GO_CLIENTS, ...JAVA_CLIENTS],
];
