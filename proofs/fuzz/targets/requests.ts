import type { ClientRequest, Exchange, Target } from "../../../src/core/answer/exchange.ts";
import type { BilledEndpoint, Protocol } from "../../../src/core/endpoints.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import {
  adapterBetween,
  clientProtocols,
  decisionProtocols,
  decisionVendorOf,
  modelProtocols,
} from "../../../src/main/protocols.ts";
import { headerLine } from "../../../src/wire/grammar/header-line.ts";
import { targetFor } from "../../support/target.ts";
import { JSON_WORDS } from "../inputs/odd-values.ts";
import { RICH_BODIES } from "../requests/rich-bodies.ts";
import { ENDPOINTS, seedBodies } from "../requests/seed-bodies.ts";
import { mutateText } from "./json-members.ts";
import { targetOfKind } from "./kinds-of-targets.ts";
import { Broken, expectThat, type FuzzTarget } from "./target.ts";
import { HEADERS, VENDORS } from "./ways.ts";

/** The first byte of an input chooses the endpoint and the kind of target; the others are the client's body. */
export const requests: FuzzTarget = {
  name: "requests",
  promise: "a body is refused with a 400 that names its place, or goes to every vendor as JSON",
  words: JSON_WORDS,
  seeds: () =>
    ENDPOINTS.flatMap((endpoint, index) =>
      [...seedBodies(endpoint), ...RICH_BODIES[endpoint]].map((body) =>
        Buffer.concat([Buffer.from([index]), Buffer.from(JSON.stringify(body))]),
      ),
    ),
  run,
  mutate: (input, draw, other) =>
    Buffer.concat([input.subarray(0, 1), mutateText(input.subarray(1), draw, other.subarray(1))]),
};

function run(input: Buffer): void {
  const choice = input[0] ?? 0;
  const endpoint = ENDPOINTS[choice % ENDPOINTS.length] as BilledEndpoint;
  const kind = Math.floor(choice / ENDPOINTS.length);
  const text = input.toString("utf8", 1);
  if (endpoint === "decisions" || endpoint === "systemone") return decide(endpoint, text);
  const request = takenOrRefused(() => PROTOCOLS[endpoint].readRequest(text, HEADERS));
  if (request === null) return;
  checkRequest(request);
  for (const vendor of VENDORS) {
    const way = adapterBetween(request.protocol, vendor);
    if (way === null) continue;
    const exchange = takenOrRefused(() => way.prepare(request, targetOf(endpoint, vendor, kind), HEADERS));
    if (exchange !== null) checkExchange(`${endpoint} by ${vendor}`, exchange);
  }
}

/** Bedrock's models of embeddings are told apart by their names, and a model of another name is a mistake of the configuration. */
const EMBEDDING_MODELS = ["amazon.titan-embed-text-v2:0", "cohere.embed-v4:0"];

function targetOf(endpoint: BilledEndpoint, vendor: Protocol, kind: number): Target {
  const target = targetOfKind(vendor, kind);
  const upstream_model = EMBEDDING_MODELS[kind % EMBEDDING_MODELS.length];
  return endpoint === "embeddings" && upstream_model !== undefined ? { ...target, upstream_model } : target;
}

const PROTOCOLS = { ...clientProtocols, ...modelProtocols };

function decide(endpoint: keyof typeof decisionProtocols, text: string): void {
  const request = takenOrRefused(() => decisionProtocols[endpoint].readRequest(text));
  if (request === null) return;
  checkRequest(request);
  for (const vendor of ["decisions", "systemone"] satisfies Protocol[]) {
    const protocol = decisionVendorOf(vendor);
    const encoded = takenOrRefused(() => protocol?.encodeRequest(request.decision, targetFor(vendor), HEADERS) ?? null);
    if (encoded !== null) checkExchange(`${endpoint} by ${vendor}`, encoded);
  }
}

/** The result; null where the client gets a 4xx. Any other error is a mistake of the gateway. */
function takenOrRefused<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.row.status >= 500) throw thrown;
    expectThat(
      thrown.message.length > 0 && thrown.message.length <= 2000,
      `a refusal has ${thrown.message.length} characters`,
    );
    return null;
  }
}

function checkRequest({ model, output_cap, choices, input_bound_tokens }: ClientRequest): void {
  expectThat(typeof model === "string", "a model's name is no text");
  expectThat(output_cap === null || (Number.isInteger(output_cap) && output_cap >= 0), `a cap is ${output_cap}`);
  expectThat(Number.isSafeInteger(choices) && choices >= 1, `${choices} answers are asked for`);
  expectThat(
    Number.isSafeInteger(input_bound_tokens) && input_bound_tokens >= 0,
    `the input's bound is ${input_bound_tokens}`,
  );
}

function checkExchange(
  name: string,
  exchange: Pick<Exchange, "path" | "body" | "headers" | "ignored"> & Partial<Pick<Exchange, "parts">>,
): void {
  const { path, body, parts, headers, ignored } = exchange;
  const sent = parts?.join("") ?? body;
  try {
    JSON.parse(sent);
  } catch (thrown) {
    throw new Broken(`${name}: what the vendor gets is no JSON: ${sent.slice(0, 600)}`, { cause: thrown });
  }
  expectThat(/^[!-~]+$/.test(path), `${name}: the path is ${JSON.stringify(path)}`);
  for (const [header, value] of Object.entries(headers)) headerLine(header, value);
  for (const each of ignored)
    expectThat(typeof each === "string", `${name}: what is ignored is ${JSON.stringify(each)}`);
}
