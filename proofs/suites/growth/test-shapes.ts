import { describe, expect, test } from "bun:test";
import type { DecisionClientRequest } from "../../../src/core/answer/decision.ts";
import type { ClientRequest } from "../../../src/core/answer/exchange.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { writeMaterial } from "../../../src/decider/write-material.ts";
import { adapterBetween, clientProtocols, decisionProtocols, decisionVendorOf } from "../../../src/main/protocols.ts";
import { ignoredValue } from "../../../src/pipeline/answer/fact-headers.ts";
import { billedTexts } from "../../../src/pipeline/decisions/billed-texts.ts";
import { collectInput } from "../../../src/pipeline/request/collect-text.ts";
import { readCountRequest } from "../../../src/protocols/messages/client.ts";
import { targetFor } from "../../support/target.ts";
import { growthOf, inWords, MOST_POWER } from "./measure.ts";
import type { Endpoint, RequestShape } from "./shape.ts";
import { TARGETS } from "./targets.ts";

/**
 * A request costs time in proportion to its size (docs/rulings.md 140): reading it, preparing it for a vendor of any
 * protocol, estimating its usage. What grows is every kind of thing of which a request may have many.
 */

const HEADERS = { get: (name: string) => (name === "anthropic-version" ? "2023-06-01" : null) };
/** Large enough that a search in a list for each of its items costs more than all that is done with an item. */
const COUNT = 2000;
const SAMPLE_CHARACTERS = 256 * 1024;

type Request = ClientRequest | DecisionClientRequest;

function read(endpoint: Endpoint, text: string): Request {
  switch (endpoint) {
    case "count_tokens":
      return readCountRequest(text, HEADERS);
    case "decisions":
    case "systemone":
      return decisionProtocols[endpoint].readRequest(text);
    default:
      return clientProtocols[endpoint].readRequest(text, HEADERS);
  }
}

/** The result of some work, or null where it is refused. A fault of the gateway is thrown. */
function orRefused<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.row.status < 500) return null;
    throw thrown;
  }
}

/** Everything that is done with a request that was read, by name. */
function stepsOf(request: Request): Readonly<Record<string, () => unknown>> {
  const steps: Record<string, () => unknown> = {
    "the estimate": () => collectInput(request.body, SAMPLE_CHARACTERS),
  };
  for (const [name, target] of Object.entries(TARGETS)) {
    if ("decision" in request) break;
    const way = adapterBetween(request.protocol, target.endpoint.protocol);
    if (way === null) continue;
    steps[name] = () =>
      orRefused(() => {
        const exchange = way.prepare(request, target, HEADERS);
        return exchange.body.length + ignoredValue(exchange.ignored).length;
      });
  }
  if ("decision" in request) {
    const { decision } = request;
    for (const protocol of ["decisions", "systemone"] as const) {
      const vendor = decisionVendorOf(protocol);
      steps[protocol] = () => vendor?.encodeRequest(decision, targetFor(protocol), HEADERS).body.length;
    }
    steps["the prompt"] = () => writeMaterial([...decision.input]);
    steps["the charge"] = () => billedTexts(decision).length;
  }
  return steps;
}

type Steps = ReturnType<typeof stepsOf>;

/** The value of a key, made when it is first asked for. */
function kept<Value>(values: Map<number, Value>, key: number, make: () => Value): Value {
  if (!values.has(key)) values.set(key, make());
  return values.get(key) as Value;
}

/** The growth of each step with a request of a shape that is not linear. */
function steepSteps({ endpoint, write, count = COUNT }: RequestShape): string[] {
  const steep: string[] = [];
  const look = (step: string, make: (size: number) => () => unknown) => {
    const growth = growthOf(make, count);
    if (growth.power > MOST_POWER) steep.push(`${step}: ${inWords(growth)}`);
  };
  const texts = new Map<number, string>();
  const textOf = (size: number) => kept(texts, size, () => write(size));
  look("reading", (size) => {
    const text = textOf(size);
    return () => orRefused(() => read(endpoint, text));
  });
  const requests = new Map<number, Steps | null>();
  const stepsFor = (size: number) =>
    kept(requests, size, () => {
      const request = orRefused(() => read(endpoint, textOf(size)));
      return request === null ? null : stepsOf(request);
    });
  for (const step of Object.keys(stepsFor(count) ?? {})) {
    look(step, (size) => {
      const steps = stepsFor(size);
      return () => orRefused(() => steps?.[step]?.());
    });
  }
  return steep;
}

/** Tests each shape: a request costs time in proportion to it, and is refused only where it is meant to be. */
export function testShapes(shapes: readonly RequestShape[]): void {
  describe("a request costs time in proportion to its", () => {
    for (const shape of shapes) {
      test(shape.name, () => {
        const { endpoint, write, is_refused = false } = shape;
        expect(orRefused(() => read(endpoint, write(10))) === null).toBe(is_refused);
        expect(steepSteps(shape)).toEqual([]);
      });
    }
  });
}
