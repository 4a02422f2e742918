import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { Draw } from "../../torture/draw.ts";
import type { KeyChoice, PlannedStep } from "./fuzz-case.ts";

type Content = Pick<PlannedStep, "route" | "method" | "target" | "body" | "vendor">;

const KEYS: readonly { readonly weight: number; readonly key: KeyChoice }[] = [
  { weight: 70, key: "rich" },
  { weight: 12, key: "other" },
  { weight: 5, key: "poor" },
  { weight: 5, key: "narrow" },
  { weight: 3, key: "wrong" },
  { weight: 2, key: "none" },
];
const CODINGS: readonly [name: string, encode: (bytes: Buffer) => Buffer][] = [
  ["gzip", (bytes) => gzipSync(bytes)],
  ["deflate", (bytes) => deflateSync(bytes)],
  ["br", (bytes) => brotliCompressSync(bytes)],
  ["zstd", (bytes) => zstdCompressSync(bytes)],
  ["identity", (bytes) => bytes],
  ["gzip", (bytes) => gzipSync(bytes).subarray(0, -4)],
  ["gzip", (bytes) => Buffer.concat([gzipSync(bytes), bytes])],
  ["br", (bytes) => bytes],
  ["gzip, br", (bytes) => brotliCompressSync(gzipSync(bytes))],
  ["snappy", (bytes) => bytes],
  ["gzip", () => gzipSync(Buffer.alloc(3 * 1024 * 1024, "["))],
];
const ODD_HEADERS = [
  "x-request-id: fuzz-1",
  `x-request-id: ${"x".repeat(200)}`,
  "x-request-id: \xe9\xff",
  "accept: text/event-stream",
  "accept-encoding: gzip",
  "anthropic-beta: a,b",
  "anthropic-beta: \xe9",
  "openai-organization: x",
  "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "cookie: a=b",
  "origin: https://x",
  "range: bytes=0-1",
  "if-none-match: *",
  `x-long: ${"y".repeat(8000)}`,
  "__proto__: x",
  "x-empty:",
];

/** A request's content as a client sends it: with headers, whole or in chunks, compressed or not, by a patient client or not. */
export function carry({ body, ...content }: Content, draw: Draw): PlannedStep {
  const headers = [
    ...(draw.chance(0.93) ? ["content-type: application/json"] : draw.chance(0.5) ? ["content-type: text/plain"] : []),
    ...versionHeader(draw),
    ...(draw.chance(0.25) ? [draw.one(ODD_HEADERS)] : []),
    ...(draw.chance(0.05) ? [`idempotency-key: ${draw.one(["k", "same", "", "é", "x".repeat(300)])}`] : []),
    ...(draw.chance(0.05) && body !== null ? ["expect: 100-continue"] : []),
  ];
  let packed = body;
  if (body !== null && draw.chance(0.08)) {
    const [name, encode] = draw.one(CODINGS);
    packed = encode(body);
    headers.push(`content-encoding: ${name}`);
  }
  return {
    ...content,
    headers,
    body: packed,
    chunk_sizes: body !== null && draw.chance(0.1) ? draw.one([[1, 2, 3], [1000], [16, 400]]) : null,
    piece_bytes: draw.chance(0.08) ? draw.one([1, 17, 1000]) : null,
    leaves_after_ms: draw.chance(0.08) ? draw.one([0, 1, 5, 20, 80, 300]) : null,
    mutation_seed: null,
    key: draw.weighted(KEYS).key,
  };
}

function versionHeader(draw: Draw): string[] {
  if (draw.chance(0.95)) return ["anthropic-version: 2023-06-01"];
  return draw.one([
    [],
    ["anthropic-version: x"],
    ["altstyle-version: 2023-06-01"],
    ["anthropic-version: 2023-06-01", "anthropic-version: 2023-06-01"],
  ]);
}
