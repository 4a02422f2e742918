import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { StreamAnswer } from "../../../src/core/answer/exchange.ts";
import { ChatStream } from "../../../src/protocols/chat-completions/stream.ts";
import { MessagesStream } from "../../../src/protocols/messages/stream.ts";
import { ResponsesStream } from "../../../src/protocols/responses/stream.ts";
import { PIECE_SIZES, replay } from "../../support/replay-stream.ts";

/** docs/rulings.md 156, on the recorded streams of every protocol that is relayed. */

const MODEL = "acme/m";
const RELAYS: Readonly<Record<string, () => StreamAnswer>> = {
  "chat-completions": () => new ChatStream({ model_id: MODEL, issuer: "acme", choices: 1, shows_usage: true }),
  messages: () => new MessagesStream(MODEL),
  responses: () => new ResponsesStream(MODEL),
};
const SPACINGS: Readonly<Record<string, string>> = { "no space": "", "two spaces": "  ", "a tab": "\t" };

for (const [protocol, open] of Object.entries(RELAYS)) {
  const folder = join(import.meta.dir, "../../fixtures", protocol);
  const names = readdirSync(folder).filter((name) => name.endsWith(".sse"));
  describe(`a relayed stream of ${protocol}`, () => {
    for (const [spacing, blanks] of Object.entries(SPACINGS)) {
      test.each(names)(`has one space in its data lines where its vendor sends ${spacing}: %s`, (name) => {
        const even = Buffer.from(readFileSync(join(folder, name), "utf8").replaceAll(/^data: ?/gm, "data: "));
        const expected = replay(open(), even, null);
        const bytes = Buffer.from(even.toString().replaceAll(/^data: /gm, `data:${blanks}`));
        for (const size of PIECE_SIZES) expect(replay(open(), bytes, size)).toEqual(expected);
        const lines = expected.output.split("\n").filter((line) => line.startsWith("data"));
        for (const line of lines) expect(line).toMatch(/^data: [^\s]/);
      });
    }
  });
}
