import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "../../clients/client.ts";
import { CLIENTS } from "../../clients/clients.ts";
import { startDeployment } from "../../clients/deployment.ts";
import { CACHE, findInstalled } from "../../clients/install.ts";
import { KINDS } from "../../clients/models.ts";
import { type Outside, startOutside } from "../../clients/outside.ts";
import { lastWords, Session } from "../../clients/session.ts";
import { BLOCKS, type Block, placeOf } from "./support/blocks.ts";
import { askBySettings, settingsOf } from "./support/client-settings.ts";
import { kindOf } from "./support/kinds.ts";

/**
 * What the documents have the users of a client write is what the client works with: the client itself is asked by it, wherever `npm run clients`
 * has installed it. A client that is not installed is skipped, and named as skipped.
 */

const PATIENCE_MS = 240_000;
setDefaultTimeout(PATIENCE_MS + 30_000);

let outside: Outside;

beforeAll(async () => {
  outside = await startOutside();
});
afterAll(() => outside?.stop());

/** The blocks for clients that stand elsewhere, each with the client that it is for. */
const ELSEWHERE: readonly (readonly [string, string])[] = [
  ["import os", "openai-python"],
  ["export ANTHROPIC_BASE_URL", "claude-code"],
  ["model = ", "codex"],
];

const shown: (readonly [string, Client, Block])[] = [
  ...CLIENTS.flatMap((client) =>
    settingsOf(client).map((block) => [`${client.name}: ${block.line}`, client, block] as const),
  ),
  ...BLOCKS.filter((block) => block.document !== "docs/clients.md" && kindOf(block)?.kind === "client").map((block) => {
    const id = ELSEWHERE.find(([begins]) => block.text.startsWith(begins))?.[1];
    const client = CLIENTS.find((each) => each.id === id);
    if (client === undefined) throw new Error(`${placeOf(block)} is of no client that is known`);
    return [placeOf(block), client, block] as const;
  }),
];

test("docs/clients.md shows the settings that are tried here", () => {
  const page = BLOCKS.filter((block) => block.document === "docs/clients.md" && kindOf(block)?.kind === "client");
  const tried = CLIENTS.flatMap((client) => settingsOf(client).map(({ text }) => text));
  expect(tried.length).toBeGreaterThan(20);
  expect(page.filter(({ text }) => !tried.includes(text)).map(placeOf)).toEqual([]);
});

const installed = new Map(
  await Promise.all(CLIENTS.map(async (client) => [client.id, await findInstalled(client, CACHE)] as const)),
);

describe("what the documents show for", () => {
  for (const [name, client, block] of shown) {
    const found = installed.get(client.id) ?? null;
    test.skipIf(found === null)(`${name} has the client answered`, async () => {
      if (found === null) return;
      await using deployment = await startDeployment(KINDS);
      const folder = await mkdtemp(join(tmpdir(), "camino-settings-"));
      const context = { protocol: "chat-completions", installed: found, deployment, outside, folder } as const;
      const session = await Session.open({ ...context, timeout_ms: PATIENCE_MS });
      try {
        const ended = await askBySettings(client, block, session);
        expect(
          ended === null ? "nothing asks by such a block" : ended.status === 0 ? null : lastWords(ended),
        ).toBeNull();
        // The vendor has been asked by what the client sent, and nobody else.
        expect(session.vendorSaw.length).toBeGreaterThan(0);
        expect(session.vendorSaw.filter(({ status }) => status !== 200).map(({ path }) => path)).toEqual([]);
      } finally {
        await session.close();
        await rm(folder, { recursive: true, force: true });
      }
    });
  }
});
