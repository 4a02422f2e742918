import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { ClientStream } from "./support/client-stream.ts";
import { configurationFor, type ModelOptions } from "./support/scene.ts";
import { ScriptedVendor, type VendorScript } from "./support/scripted-vendor.ts";
import { STYLES, type Style } from "./support/styles.ts";
import { TOLD, type ToldAnswer } from "./support/told-answers.ts";

/**
 * Before content means one thing (docs/rulings.md 9): whatever a vendor sends without content, however its failure comes, in relay and in
 * translation, and in whatever pieces its bytes arrive, another route answers, and the client gets that answer alone.
 */

/** What comes in place of the content, as pieces of bytes, and whether the connection breaks then. */
interface Failure {
  readonly pieces: readonly Uint8Array[];
  readonly breaks?: true;
}

const FAILURES: Readonly<Record<string, (told: ToldAnswer) => Failure>> = {
  "the connection breaks": ({ opening }) => ({ pieces: [opening], breaks: true }),
  "the stream ends": ({ opening }) => ({ pieces: [opening] }),
  "a failure is told": ({ opening, failure }) => ({ pieces: [opening, failure] }),
  "a failure is told first": ({ failure }) => ({ pieces: [failure] }),
  "a line is above the limit": ({ opening }) => ({
    pieces: [opening, Buffer.from(`data: {"x":"${"y".repeat(1_200_000)}"}\n\n`)],
  }),
  "bytes that cannot be read": ({ opening }) => ({
    pieces: [opening, Buffer.from('{"message":"The token has expired."}')],
  }),
  nothing: () => ({ pieces: [] }),
};

const CUTS: Readonly<Record<string, (pieces: readonly Uint8Array[]) => readonly Uint8Array[]>> = {
  "in one piece": (pieces) => (pieces.length === 0 ? [] : [Buffer.concat(pieces)]),
  "piece by piece": (pieces) => pieces.flatMap(halves),
};

function halves(piece: Uint8Array): Uint8Array[] {
  const middle = piece.length >> 1;
  return [piece.subarray(0, middle), piece.subarray(middle)];
}

interface Row {
  readonly protocol: string;
  readonly failure: string;
  readonly cut: string;
  readonly style: Style;
  readonly vendor: string;
}

/** Each has a vendor of its own, so that no circuit that one opens refuses another. */
const ROWS: readonly Row[] = Object.keys(TOLD)
  .flatMap((protocol) => Object.keys(FAILURES).map((failure) => ({ protocol, failure })))
  .flatMap((row) => Object.keys(CUTS).map((cut) => ({ ...row, cut })))
  .flatMap((row) => STYLES.map((style) => ({ ...row, style })))
  .map((row, number) => ({ ...row, vendor: `vendor-${number}` }));

/** A vendor that fails, and then a good one. */
function failing({ protocol, failure, cut }: Row): VendorScript {
  const told = (TOLD[protocol] as (text: string) => ToldAnswer)("first");
  const { pieces, breaks } = (FAILURES[failure] as (told: ToldAnswer) => Failure)(told);
  return async (reply) => {
    for (const piece of (CUTS[cut] as (typeof CUTS)[string])(pieces)) {
      await reply.send(piece);
      // The next piece is to come by itself.
      await Bun.sleep(5);
    }
    if (breaks === true) reply.breakOff();
  };
}

const good: VendorScript = async (reply) => {
  const { opening, content, end } = (TOLD["chat-completions"] as (text: string) => ToldAnswer)("second");
  for (const piece of [opening, content, end]) await reply.send(piece);
};

let vendor: ScriptedVendor;
let gateway: Gateway;
let key: TestKey;

beforeAll(async () => {
  vendor = await new ScriptedVendor().listen();
  const second = { protocol: "chat-completions", base_url: vendor.answering("second", good), api_key: "k" };
  const vendors: Record<string, object> = { second };
  const models: Record<string, ModelOptions> = { "second/m": { upstream_model: "m" } };
  for (const row of ROWS) {
    vendors[row.vendor] = {
      ...{ protocol: row.protocol, base_url: vendor.answering(row.vendor, failing(row)), api_key: "k" },
    };
    models[`${row.vendor}/m`] = { upstream_model: "m", fallbacks: ["second/m"] };
  }
  const config = JSON.parse(configurationFor("http://127.0.0.1:9", { models })) as object;
  gateway = await startGateway({ config: JSON.stringify({ ...config, vendors }) });
  key = await gateway.newKey({ credit: "1000" });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

async function ask({ style, vendor: failing_vendor }: Row): Promise<ClientStream> {
  const response = await fetch(gateway.url + style.path(`${failing_vendor}/m`, { stream: true }), {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, "anthropic-version": "2023-06-01" },
    body: JSON.stringify(style.body(`${failing_vendor}/m`, { stream: true, cap: 1000 })),
  });
  return await new ClientStream(style, response, new AbortController()).finish();
}

describe.each(Object.keys(TOLD))("a vendor of %s that fails before content", (protocol) => {
  const rows = ROWS.filter((row) => row.protocol === protocol);
  test.each(rows)("is passed over: $failure, $cut, $style.endpoint", async (row) => {
    const { status, text, ending, broken_law, received } = await ask(row);
    expect({ status, text, ending, broken_law }).toEqual({
      ...{ status: 200, text: "second", ending: "complete", broken_law: null },
    });
    expect(received).not.toContain("first");
    expect(received).not.toMatch(/^:/m);
  });
});
