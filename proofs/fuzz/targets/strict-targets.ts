import { GatewayError } from "../../../src/core/errors.ts";
import { adapterBetween, clientProtocols } from "../../../src/main/protocols.ts";
import { complaintOf, STRICT_VENDORS, strictTarget } from "../../support/strict-vendors.ts";
import { Draw } from "../../torture/draw.ts";
import { styleBody } from "../requests/style-bodies.ts";
import { Broken, expectThat, type FuzzTarget } from "./target.ts";
import { HEADERS, STYLES } from "./ways.ts";

/** An input is a seed, from which a request of each style is drawn. */
export const strictTargets: FuzzTarget = {
  name: "strict-targets",
  promise:
    "what a program of any style asks is taken by each vendor whose rules the simulator has, on relay and translated",
  words: ["\u0001"],
  seeds: () => Array.from({ length: SEEDS }, (_, seed) => Buffer.from([seed, 0, 0, 0])),
  // A seed has no form that a change could keep: any four bytes are another one.
  mutate: (_, draw) => Buffer.from(Array.from({ length: 4 }, () => draw.whole(0, 255))),
  run: (input) => void askEach(input.length >= 4 ? input.readUInt32LE(0) : input.length),
};

const SEEDS = 64;

/** How often a vendor was asked and would have taken the request, and in which words the gateway refused one. */
export interface Asked {
  taken: number;
  readonly refused: Map<string, number>;
}

/** Draws a request of each style and prepares it for each vendor. Throws where a vendor would refuse it. */
export function askEach(seed: number, asked: Asked = { taken: 0, refused: new Map() }): Asked {
  for (const style of STYLES) {
    const body = JSON.stringify(styleBody(style, new Draw(seed)));
    const request = clientProtocols[style].readRequest(body, HEADERS);
    for (const vendor of STRICT_VENDORS) {
      const way = adapterBetween(request.protocol, vendor.protocol);
      if (way === null) throw new Broken(`there is no way from ${style} to ${vendor.protocol}`);
      try {
        const exchange = way.prepare(request, strictTarget(vendor), HEADERS);
        const complaint = complaintOf(vendor, exchange);
        if (complaint !== null)
          throw new Broken(
            `${style} by ${vendor.protocol} ${vendor.model}, seed ${seed}: ${complaint}\n${exchange.body.slice(0, 3000)}`,
          );
        asked.taken += 1;
      } catch (thrown) {
        if (!(thrown instanceof GatewayError)) throw thrown;
        expectThat(thrown.row.status === 400 && thrown.param !== null, `a refusal names no member: ${thrown.message}`);
        asked.refused.set(thrown.message, (asked.refused.get(thrown.message) ?? 0) + 1);
      }
    }
  }
  return asked;
}
