import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Gateway, startGateway } from "../../../support/gateway.ts";
import { plainModel } from "../../../support/plain-model.ts";
import type { Probed } from "./health-prober.ts";
import { bytesOf, type Shape } from "./shapes.ts";
import type { LongestSlice } from "./slice-watch.ts";

/** A gateway whose serving thread is watched, with a vendor of large answers in a process of its own. */
export interface BigScene extends AsyncDisposable {
  readonly gateway: Gateway;
  /** Sends a shape while the gateway's health is asked. */
  measure(shape: Shape): Promise<Measured>;
}

export interface Measured extends LongestSlice, Probed {
  readonly status: number;
  readonly took_ms: number;
  /** How much of the gateway's memory the request took, at its most. */
  readonly memory_mib: number;
  /** The beginning of the answer. */
  readonly answer: string;
}

const PRICE = { input: "0.01", output: "0.01" };
const ANSWERS = ["small", "text", "words", "tokens", "delta", "values", "numbers", "members"];
/** Until the threads that worked for a request have given its memory back. */
const REST_MS = 700;

export async function startBigScene(): Promise<BigScene> {
  const vendor = Bun.spawn([process.execPath, join(import.meta.dir, "big-vendor.ts")], {
    stdout: "pipe",
    stderr: "inherit",
  });
  await using opened = new AsyncDisposableStack();
  opened.defer(async () => {
    vendor.kill();
    await vendor.exited;
  });
  const port = await firstLine(vendor.stdout);
  const gateway = await startGateway({
    program: join(import.meta.dir, "watched-gateway.ts"),
    config: configuration(`http://127.0.0.1:${port}/v1`),
    env: { CAMINO_LOG: "error" },
  });
  opened.use(gateway);
  const { key } = await gateway.newKey({ credit: "1000000" });
  const slices_url = `http://127.0.0.1:${await readFile(join(gateway.data, "slices"), "utf8")}`;
  const prober = new Worker(new URL("./health-prober.ts", import.meta.url));
  opened.defer(() => prober.terminate());
  const closing = opened.move();
  const slices = async () => (await (await fetch(slices_url)).json()) as LongestSlice;
  return {
    gateway,
    async measure(shape) {
      // An account of its own, as one stores no more than 32 MiB.
      const asker = shape.previous === undefined ? key : (await gateway.newKey({ credit: "1000000" })).key;
      const placed = shape.previous === undefined ? shape : await goOn(gateway, asker, shape, shape.previous);
      const body = bytesOf(placed);
      await Bun.sleep(REST_MS);
      const before_kib = await residentKib(gateway.pid);
      await slices();
      prober.postMessage({ url: gateway.url, pid: gateway.pid });
      const started_ms = performance.now();
      const { status, answer } = await send(gateway, asker, placed, body);
      const took_ms = performance.now() - started_ms;
      const probed = Promise.withResolvers<Probed>();
      prober.onmessage = ({ data }: MessageEvent<Probed>) => probed.resolve(data);
      prober.postMessage("end");
      const found = await probed.promise;
      const memory_mib = Math.max(0, found.most_kib - before_kib) / 1024;
      return { status, took_ms, answer, memory_mib, ...(await slices()), ...found };
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Sends what a shape goes on from. Returns the shape with its ids. */
async function goOn(gateway: Gateway, key: string, shape: Shape, previous: () => string): Promise<Shape> {
  const kept = await keptResponses(gateway);
  const first = { path: "/v1/responses", body: previous, name: shape.name };
  const { status, answer } = await send(gateway, key, first, bytesOf(first));
  if (status !== 200) throw new Error(`what "${shape.name}" goes on from ended with ${status}: ${answer}`);
  const id = /"id":"(resp_\w+)"/.exec(answer)?.[1] ?? "";
  const item = /"id":"(msg_\w+)"/.exec(answer)?.[1] ?? "";
  while (shape.is_written === true && (await keptResponses(gateway)) === kept) await Bun.sleep(20);
  const place = (text: string): string => text.replace("PREVIOUS", id).replace("ITEM", item);
  return { ...shape, path: place(shape.path), body: () => place(shape.body()) };
}

/** How many responses were written to the database. */
async function keptResponses({ url }: Gateway): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^camino_stored_responses_total\{result="kept"\} (\d+)/m.exec(metrics)?.[1] ?? 0);
}

async function send(
  { url }: Gateway,
  key: string,
  shape: Shape,
  body: Buffer,
): Promise<{ status: number; answer: string }> {
  const response = await fetch(url + shape.path, {
    method: shape.method ?? "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": shape.content_type ?? "application/json",
      "anthropic-version": "2023-06-01",
      ...(shape.coding !== undefined && { "content-encoding": shape.coding }),
    },
    ...(shape.method !== "GET" && { body }),
  });
  const answer = Buffer.from(await response.arrayBuffer());
  return { status: response.status, answer: answer.subarray(0, 4000).toString() };
}

function configuration(base_url: string): string {
  const vendor = { base_url, api_key: "sk-big-0123456789" };
  const vendors = {
    all: ["chat-completions", "responses", "messages"],
    chat: ["chat-completions"],
    messages: ["messages"],
    gemini: ["gemini"],
    decisions: ["decisions"],
    systemone: ["systemone"],
  };
  const models: Record<string, object> = {};
  for (const id of ["all", "chat", "messages", "gemini"])
    for (const answer of ANSWERS)
      models[`${id}/big-${answer}`] = plainModel({ price: PRICE, input_modalities: ["text", "image"] });
  for (const id of ["decisions", "systemone"])
    models[`${id}/big-small`] = { kind: "decision", price: { input: "0.01" }, input_modalities: ["text", "image"] };
  models["decider/yes"] = {
    kind: "decision",
    price: { input: "0.01" },
    decide_with: { engine: "logprobs", model: "chat/big-small" },
  };
  return JSON.stringify({
    catalog: "none",
    vendors: Object.fromEntries(Object.entries(vendors).map(([id, protocol]) => [id, { ...vendor, protocol }])),
    models,
    limits: { default_key: { rpm: 1_000_000, concurrent: 1000 } },
  });
}

async function residentKib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "latin1").catch(() => "");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return new TextDecoder().decode(value).trim();
}
