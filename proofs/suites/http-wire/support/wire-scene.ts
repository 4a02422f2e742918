import { expect } from "bun:test";
import type { TestKey } from "../../../support/gateway.ts";
import { eventually, type Scene, type SceneOptions, startScene } from "../../failures/support/scene.ts";
import { chat, type Style } from "../../failures/support/styles.ts";
import type { ParsedAnswer } from "./answer-parser.ts";
import { CANARY, request, type Written } from "./requests.ts";
import { WireClient } from "./wire-client.ts";

/** A gateway, a key with credit, and connections to it. */
export interface WireScene extends AsyncDisposable {
  readonly scene: Scene;
  readonly key: TestKey;
  open(): Promise<WireClient>;
  /** A call of a model as bytes; `body` fields are added to the style's body. */
  call(model: string, call?: Call): Buffer;
  /** Expects one refusal in style A, with an id, and the end of the connection; nothing behind it was answered. */
  expectRefused(bytes: string | Uint8Array, statuses: readonly number[]): Promise<ParsedAnswer>;
  /** Expects that the requests have left no request in flight, no hold, and no fault in the log. */
  expectAtRest(): Promise<void>;
}

export interface Call extends Written {
  readonly style?: Style;
  readonly text?: string;
  readonly stream?: boolean;
  readonly cap?: number;
}

export const AUTHORIZATION = "authorization: Bearer ";

export async function startWireScene(options: Partial<SceneOptions> = {}): Promise<WireScene> {
  const scene = await startScene({ models: { "acme/echo": {} }, ...options });
  const key = await scene.newKey({ credit: "100000" });
  const open = () => WireClient.open(scene.gateway.url);
  return {
    scene,
    key,
    open,
    call: (model, { style = chat, text = "hello", stream = false, cap, headers = [], ...written } = {}) =>
      request({
        method: "POST",
        target: style.path(model, { stream }),
        headers: [AUTHORIZATION + key.key, "anthropic-version: 2023-06-01", ...headers],
        body: JSON.stringify(style.body(model, { text, stream, ...(cap === undefined ? {} : { cap }) })),
        ...written,
      }),
    expectRefused: async (bytes, statuses) => {
      using client = await open();
      client.send(bytes).send(CANARY);
      const [answer, ...more] = await client.ended();
      expect(more).toEqual([]);
      return expectRefusal(answer, statuses);
    },
    expectAtRest: async () => {
      await eventually("a gateway at rest", async () => ((await inFlight(scene.gateway.url)) === 0 ? true : null));
      await eventually("the end of all holds", async () =>
        (await scene.wallet(key)).uncollected_micro === 0 ? true : null,
      );
      expect(faultsIn(scene.gateway.log())).toEqual([]);
    },
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

/** Expects a whole refusal in style A that says that the connection ends with it. */
export function expectRefusal(answer: ParsedAnswer | undefined, statuses: readonly number[]): ParsedAnswer {
  if (answer === undefined) throw new Error("the connection ended without an answer");
  expect(statuses).toContain(answer.status);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    connection: "close",
    "content-type": "application/json",
    "x-request-id": expect.stringMatching(/^req_/),
    date: expect.stringMatching(/ GMT$/),
  });
  expect(JSON.parse(answer.text)).toEqual({
    error: {
      message: expect.stringMatching(/./),
      type: "invalid_request_error",
      param: null,
      code: expect.any(String),
    },
  });
  return answer;
}

async function inFlight(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^camino_requests_in_flight (\d+)$/m.exec(metrics)?.[1] ?? Number.NaN);
}

/** The lines of a log that report a fault of the gateway itself. */
function faultsIn(log: string): string[] {
  const isFault = (line: string): boolean => {
    // Other lines come from the runtime, which writes only when something broke.
    if (!line.startsWith("{")) return true;
    return ["error", "fatal"].includes((JSON.parse(line) as { level: string }).level);
  };
  return log.split("\n").filter((line) => line !== "" && isFault(line));
}
