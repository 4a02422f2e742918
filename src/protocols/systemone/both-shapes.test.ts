import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  answersTo,
  decisionsRequests,
  systemoneRequests,
  withoutNegativeZero,
} from "../../../proofs/support/decisions.ts";
import { runs } from "../../../proofs/support/runs.ts";
import { targetFor } from "../../../proofs/support/target.ts";
import type { DecisionClientProtocol, DecisionRequest, DecisionVendorProtocol } from "../../core/answer/decision.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { decisionsClient } from "../decisions/client.ts";
import { decisionsVendor } from "../decisions/vendor.ts";
import { systemoneClient } from "./client.ts";
import { systemoneVendor } from "./vendor.ts";

const SEVEN = { ...NO_USAGE, input_tokens: 7 };

const HEADERS = { get: () => null };

/**
 * Each shape with its vendor protocol, and with the client protocol by which a simulated vendor reads the request and
 * writes the answer.
 */
const SHAPES: readonly (readonly [string, DecisionVendorProtocol, DecisionClientProtocol])[] = [
  ["decisions", decisionsVendor, decisionsClient],
  ["systemone", systemoneVendor, systemoneClient],
];
const REQUESTS: readonly (readonly [string, fc.Arbitrary<DecisionRequest>])[] = [
  ["decisions", decisionsRequests],
  ["systemone", systemoneRequests],
];

const CROSSINGS = REQUESTS.flatMap(([from, requests]) =>
  SHAPES.map(([to, vendor, server]) => [from, to, { requests, vendor, server }] as const),
);

describe("a request", () => {
  test.each([
    ["decisions", { requests: decisionsRequests, vendor: decisionsVendor, server: decisionsClient }],
    ["systemone", { requests: systemoneRequests, vendor: systemoneVendor, server: systemoneClient }],
  ] as const)("of %s is at a vendor of that shape what it was here", (_shape, { requests, vendor, server }) => {
    fc.assert(
      fc.property(requests, (request) => {
        const { body } = vendor.encodeRequest(request, targetFor(vendor.protocol), HEADERS);
        expect(server.readRequest(body).decision).toEqual(request);
      }),
      { numRuns: runs(125) },
    );
  });

  test.each(CROSSINGS)("of %s can be asked in the shape of %s", (_from, _to, { requests, vendor, server }) => {
    fc.assert(
      fc.property(requests, (request) => {
        const { body } = vendor.encodeRequest(request, targetFor(vendor.protocol), HEADERS);
        const arrived = server.readRequest(body).decision;
        expect(arrived.questions.map(({ type }) => type)).toEqual(request.questions.map(({ type }) => type));
        // Encoding is idempotent: a request that was encoded and read again is encoded to the same bytes.
        const again = vendor.encodeRequest(arrived, targetFor(vendor.protocol), HEADERS);
        expect(again.body).toBe(body);
      }),
      { numRuns: runs(75) },
    );
  });
});

describe("an answer", () => {
  test.each(CROSSINGS)("to a request of %s comes back from a vendor of %s unchanged", (_from, _to, crossing) => {
    const { requests, vendor, server } = crossing;
    fc.assert(
      fc.property(
        requests.chain((request) => fc.tuple(fc.constant(request), answersTo(request))),
        ([request, given]) => {
          const answers = withoutNegativeZero(given);
          const { body } = vendor.encodeRequest(request, targetFor(vendor.protocol), HEADERS);
          const arrived = server.readRequest(body).decision;
          const said = server.encodeAnswer({ model: "upstream-1", answers, usage: SEVEN }, arrived);
          const decoded = vendor.decodeAnswer(Buffer.from(said), request);
          expect(decoded).toEqual({ answers, usage: SEVEN, rejected_usage: null });
        },
      ),
      { numRuns: runs(125) },
    );
  });
});
