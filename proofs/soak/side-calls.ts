import type { Gateway, TestKey } from "../support/gateway.ts";
import type { Draw } from "../torture/draw.ts";
import type { Finding } from "../torture/reconcile/finding.ts";

/** What others do at a gateway beside those whose calls are billed: they read, look, and err. */

interface SideCall {
  readonly name: string;
  readonly allowed: readonly number[];
  make(gateway: Gateway, key: TestKey): Promise<number>;
}

const PAUSE_MS = { least: 20, most: 200 };
const CHAT = "/v1/chat/completions";

const SIDE_CALLS: readonly SideCall[] = [
  reading("/v1/models"),
  reading("/v1/usage"),
  reading("/v1/credits"),
  open("/healthz"),
  open("/readyz"),
  open("/metrics"),
  open("/docs"),
  console_("/health"),
  console_("/requests?limit=20"),
  console_("/accounts"),
  asking("a body that is no JSON", [400, 401, 429], (key) => [key.key, "{"]),
  asking("a model that nobody has", [404, 401, 429], (key) => [
    key.key,
    JSON.stringify({ model: "acme/nobody", messages: [{ role: "user", content: "hello" }] }),
  ]),
  asking("a key that was never made", [401], () => ["sk-never-made", "{}"]),
  { name: "a client that hangs up in its head", allowed: [0], make: hangUp },
];

function reading(path: string): SideCall {
  const make = (gateway: Gateway, { key }: TestKey) => get(gateway.url + path, { authorization: `Bearer ${key}` });
  return { name: path, allowed: [200, 401, 429], make };
}

function open(path: string): SideCall {
  return { name: path, allowed: [200], make: (gateway) => get(gateway.url + path, {}) };
}

function console_(path: string): SideCall {
  const make = async (gateway: Gateway): Promise<number> => {
    await gateway.admin("GET", path);
    return 200;
  };
  return { name: `/console/api${path}`, allowed: [200], make };
}

function asking(
  name: string,
  allowed: readonly number[],
  parts: (key: TestKey) => readonly [credential: string, body: string],
): SideCall {
  const make = async (gateway: Gateway, key: TestKey): Promise<number> => {
    const [credential, body] = parts(key);
    const headers = { authorization: `Bearer ${credential}`, "content-type": "application/json" };
    const response = await fetch(gateway.url + CHAT, { method: "POST", headers, body });
    await response.arrayBuffer();
    return response.status;
  };
  return { name, allowed, make };
}

async function get(url: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  return response.status;
}

async function hangUp({ url }: Gateway): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = await Bun.connect({ hostname, port: Number(port), socket: { data: () => {} } });
  socket.write(`POST ${CHAT} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-le`);
  socket.flush();
  socket.terminate();
  return 0;
}

export interface SideCallsSeen {
  readonly count: number;
  readonly findings: readonly Finding[];
}

/** Makes such calls, one after the other, until `isOver`. `keyOf`: a key that is in use at this moment. */
export async function makeSideCalls(
  gateway: Gateway,
  keyOf: () => TestKey,
  draw: Draw,
  isOver: () => boolean,
): Promise<SideCallsSeen> {
  const findings: Finding[] = [];
  let count = 0;
  while (!isOver()) {
    const { name, allowed, make } = draw.one(SIDE_CALLS);
    count += 1;
    try {
      const status = await make(gateway, keyOf());
      if (!allowed.includes(status))
        findings.push({ kind: "answer", what: `${name} got status ${status}; allowed: ${allowed.join(", ")}` });
    } catch (thrown) {
      findings.push({ kind: "answer", what: `${name} failed: ${String(thrown)}` });
    }
    await Bun.sleep(draw.whole(PAUSE_MS.least, PAUSE_MS.most));
  }
  return { count, findings };
}
