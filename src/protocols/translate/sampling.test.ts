import { describe, expect, test } from "bun:test";
import { targetFor } from "../../../proofs/support/target.ts";
import type { ClientCodec, VendorCodec } from "../../core/answer/codec.ts";
import type { ClientProtocol, ProtocolAdapter } from "../../core/answer/exchange.ts";
import type { Sampling } from "../../core/catalog/catalog.ts";
import { chatCompletions } from "../chat-completions/client.ts";
import { chatClientCodec, chatVendorCodec } from "../chat-completions/codec.ts";
import { relayChatCompletions } from "../chat-completions/relay.ts";
import { messages } from "../messages/client.ts";
import { messagesClientCodec, messagesVendorCodec } from "../messages/codec.ts";
import { relayMessages } from "../messages/relay.ts";
import { responses } from "../responses/client.ts";
import { responsesClientCodec, responsesVendorCodec } from "../responses/codec.ts";
import { relayResponses } from "../responses/relay.ts";
import { translateBetween } from "./translate-between.ts";

/**
 * Models that refuse temperature and similar settings, by relay and translation to each protocol (docs/rulings.md 166).
 */

interface Style {
  readonly client: ClientProtocol;
  readonly client_codec: ClientCodec;
  readonly codec: VendorCodec;
  readonly relay: ProtocolAdapter;
  readonly plain: object;
  readonly thinks: object;
}

const SAID = [{ role: "user", content: "Hi" }];
const STYLES = {
  "chat-completions": {
    ...{ client: chatCompletions, client_codec: chatClientCodec, codec: chatVendorCodec, relay: relayChatCompletions },
    plain: { messages: SAID },
    thinks: { reasoning_effort: "high" },
  },
  responses: {
    ...{ client: responses, client_codec: responsesClientCodec, codec: responsesVendorCodec, relay: relayResponses },
    plain: { input: "Hi" },
    thinks: { reasoning: { effort: "high" } },
  },
  messages: {
    ...{ client: messages, client_codec: messagesClientCodec, codec: messagesVendorCodec, relay: relayMessages },
    plain: { messages: SAID, max_tokens: 2000 },
    thinks: { thinking: { type: "adaptive" } },
  },
} as const satisfies Record<string, Style>;
type Protocol = keyof typeof STYLES;
/** A client of another protocol for each vendor. */
const OTHER = { "chat-completions": "responses", responses: "chat-completions", messages: "chat-completions" } as const;

const CAPABILITIES = { thinking: true, reasoning: { toggle: true, effort: ["low", "high"] } };

interface Asked {
  readonly sampling?: Sampling;
  readonly thinks: boolean;
  readonly settings: object;
}

/** The vendor's temperature and top_p and the names of left-out settings, for relay and for translation. */
function seen(protocol: Protocol, { sampling, thinks, settings }: Asked) {
  const target = targetFor(protocol, { capabilities: CAPABILITIES, ...(sampling && { sampling }) });
  const vendor: Style = STYLES[protocol];
  const other: Style = STYLES[OTHER[protocol]];
  const ways = [
    ["relay", vendor, vendor.relay],
    ["translation", other, translateBetween(other.client_codec, vendor.codec)],
  ] as const;
  return ways.map(([name, style, way]) => {
    const body = { model: "acme/swift", ...style.plain, ...(thinks && style.thinks), ...settings };
    const headers = new Headers({ "anthropic-version": "2023-06-01" });
    const prepared = way.prepare(style.client.readRequest(JSON.stringify(body), headers), target, headers);
    const { temperature = null, top_p = null } = JSON.parse(prepared.body);
    return { way: name, temperature, top_p, ignored: [...prepared.ignored].sort() };
  });
}

const both = (found: Omit<ReturnType<typeof seen>[number], "way">) =>
  (["relay", "translation"] as const).map((way) => ({ way, ...found }));

describe.each(Object.keys(STYLES) as Protocol[])("%s", (protocol) => {
  const settings = { temperature: 0.5, top_p: 0.9 };

  test("a model that never accepts sampling gets none, and the client is told", () => {
    for (const thinks of [true, false])
      expect(seen(protocol, { sampling: "never", thinks, settings })).toEqual(
        both({ temperature: null, top_p: null, ignored: ["temperature", "top_p"] }),
      );
  });

  test("a parameter with the value that applies anyway is left out without a report", () => {
    expect(seen(protocol, { sampling: "never", thinks: false, settings: { temperature: 1, top_p: 1 } })).toEqual(
      both({ temperature: null, top_p: null, ignored: [] }),
    );
  });

  test("a model that accepts sampling only without reasoning gets it then, and only then", () => {
    expect(seen(protocol, { sampling: "without_reasoning", thinks: true, settings: { temperature: 0.5 } })).toEqual(
      both({ temperature: null, top_p: null, ignored: ["temperature"] }),
    );
    expect(seen(protocol, { sampling: "without_reasoning", thinks: false, settings: { temperature: 0.5 } })).toEqual(
      both({ temperature: 0.5, top_p: null, ignored: [] }),
    );
  });

  test("any other model gets the client's settings", () => {
    expect(seen(protocol, { thinks: false, settings: { temperature: 0.5 } })[0]).toEqual({
      ...{ way: "relay", temperature: 0.5, top_p: null, ignored: [] },
    });
  });
});

test("the gateway itself applies stop sequences that a model refuses with its sampling", () => {
  const target = targetFor("chat-completions", { capabilities: CAPABILITIES, sampling: "never" });
  const body = { model: "acme/swift", max_tokens: 9, messages: SAID, stop_sequences: ["END"] };
  const request = messages.readRequest(JSON.stringify(body), new Headers({ "anthropic-version": "2023-06-01" }));
  const prepared = translateBetween(messagesClientCodec, chatVendorCodec).prepare(request, target, new Headers());
  expect(JSON.parse(prepared.body)).not.toHaveProperty("stop");
  expect(prepared.ignored).toEqual([]);
});
