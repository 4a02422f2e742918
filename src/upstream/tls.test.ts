import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";

/**
 * The runtime reads its trusted certificates when a process starts, so each test makes its calls in a process of its
 * own: with our client and with fetch, whose verdict our client must share.
 */

const FIXTURES = join(import.meta.dir, "../../proofs/fixtures/tls");
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

interface TlsVendor {
  readonly port: number;
  /** The server names that clients asked for in the handshake. */
  readonly names: (string | false)[];
  /** The bytes that arrived through TLS. */
  readonly got: () => string;
  readonly connections: () => number;
}

/** The text of a streamed answer: small chunks and large chunks. */
const STREAMED = Array.from({ length: 3000 }, (_, index) => `${index} `.repeat(index % 100 === 0 ? 2000 : 1));
const CHUNKS = STREAMED.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join("");
const STREAM = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKS}0\r\n\r\n`;

/** A vendor behind TLS that answers every request with `ok`, or with a stream where the request asks for one. */
async function tlsVendor(certificate: string): Promise<TlsVendor> {
  let got = "";
  let connections = 0;
  const names: (string | false)[] = [];
  const file = (name: string) => readFileSync(join(FIXTURES, name));
  const identity = { key: file(`${certificate}.key.pem`), cert: file(`${certificate}.pem`) };
  const server = createTlsServer(identity, (socket) => {
    connections += 1;
    names.push((socket as { servername?: string | false }).servername ?? false);
    let left = 0;
    socket.on("error", () => {});
    socket.on("data", (data) => {
      const text = data.toString("latin1");
      got += text.slice(0, 1000);
      const head = text.indexOf("\r\n\r\n");
      if (left === 0) left = head + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1]);
      left -= data.length;
      if (left !== 0) return;
      socket.write(text.startsWith("POST /stream") ? STREAM : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
  });
  server.on("tlsClientError", () => {});
  return { port: await listen(server), names, got: () => got, connections: () => connections };
}

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return (server.address() as AddressInfo).port;
}

const ASKER = `
  const { Upstream } = await import(${JSON.stringify(join(import.meta.dir, "./send.ts"))});
  const { fetchOnlySettings } = await import(${JSON.stringify(join(import.meta.dir, "./fetch-only-settings.ts"))});
  const upstream = new Upstream(fetchOnlySettings(process.env));
  const timeouts = { connect_ms: Number(process.env.CONNECT_MS ?? 5000), first_byte_ms: 10000, idle_ms: 5000, total_ms: 20000 };
  const body = "x".repeat(Number(process.env.BODY_BYTES ?? 2));
  const headers = { authorization: "Bearer secret" };
  const ours = async (url) => {
    const reply = await upstream.start({ url, headers, body, timeouts }).reply;
    return Buffer.from(await reply.readWhole()).toString();
  };
  const fetched = async (url) => (await fetch(url, { method: "POST", body, headers })).text();
  const results = [];
  for (const url of process.env.URLS.split(" ")) {
    results.push(await (process.env.BY === "fetch" ? fetched : ours)(url).catch((error) => (process.env.WHY ? error.message : (error.fault ?? "refused"))));
  }
  console.log(JSON.stringify(results));
`;

/** Requests the URLs one after the other, in one process with this environment. */
async function ask(urls: readonly string[], env: Record<string, string> = {}): Promise<string[]> {
  const { PATH = "" } = process.env;
  const child = Bun.spawn([process.execPath, "-e", ASKER], {
    env: { PATH, URLS: urls.join(" "), ...env },
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await child.stdout.text());
}

const TRUSTED = { NODE_EXTRA_CA_CERTS: join(FIXTURES, "ca.pem") };

describe("a server", () => {
  const CERTIFICATES: Record<string, "ok" | "unreachable"> = {
    good: "ok",
    "common-name": "ok",
    "other-host": "unreachable",
    wildcard: "unreachable",
    address: "unreachable",
    expired: "unreachable",
    "unknown-ca": "unreachable",
    "self-signed": "unreachable",
  };
  const vendors = new Map<string, TlsVendor>();
  const verdicts = new Map<string, string>();
  const fetched = new Map<string, string>();
  let got_by_ours: string[] = [];
  const running: Server[] = [];

  beforeAll(async () => {
    const names = Object.keys(CERTIFICATES);
    for (const name of names) vendors.set(name, await tlsVendor(name));
    running.push(...servers.splice(0));
    const urls = names.map((name) => `https://localhost:${vendors.get(name)?.port}/v1/x`);
    for (const [index, verdict] of (await ask(urls, TRUSTED)).entries()) verdicts.set(names[index] ?? "", verdict);
    got_by_ours = names.map((name) => vendors.get(name)?.got() ?? "");
    for (const [index, verdict] of (await ask(urls, { ...TRUSTED, BY: "fetch" })).entries())
      fetched.set(names[index] ?? "", verdict === "refused" ? "unreachable" : verdict);
  });

  afterAll(() => {
    for (const server of running) server.close();
  });

  test.each(Object.entries(CERTIFICATES))("whose certificate is '%s' is %s, as with fetch", (name, verdict) => {
    expect([verdicts.get(name), fetched.get(name)]).toEqual([verdict, verdict]);
  });

  test.each(Object.keys(CERTIFICATES).entries().toArray())(
    "%d (%s) receives no byte of a request unless its certificate is accepted",
    (index, name) => {
      expect((got_by_ours[index] ?? "").includes("secret")).toBe(CERTIFICATES[name] === "ok");
      expect(got_by_ours[index] === "").toBe(CERTIFICATES[name] !== "ok");
    },
  );

  test("whose CA this process does not trust is unreachable, though other processes trust it", async () => {
    const url = `https://localhost:${vendors.get("good")?.port}/v1/x`;
    expect(await ask([url])).toEqual(["unreachable"]);
  });
});

test("a connection is kept, and its handshake names the server", async () => {
  const vendor = await tlsVendor("good");
  const url = `https://localhost:${vendor.port}/v1/x`;
  expect(await ask([url, url, url], TRUSTED)).toEqual(["ok", "ok", "ok"]);
  expect([vendor.connections(), vendor.names]).toEqual([1, ["localhost"]]);
});

test("a streamed answer arrives complete", async () => {
  const vendor = await tlsVendor("good");
  const url = `https://localhost:${vendor.port}/stream`;
  expect(await ask([url, url], TRUSTED)).toEqual([STREAMED.join(""), STREAMED.join("")]);
  expect(vendor.connections()).toBe(1);
});

test("a large request arrives complete", async () => {
  const vendor = await tlsVendor("good");
  expect(await ask([`https://localhost:${vendor.port}/`], { ...TRUSTED, BODY_BYTES: "30000000" })).toEqual(["ok"]);
});

test("https to a bare address is left to fetch, whose handshake names no server", async () => {
  const vendor = await tlsVendor("good");
  expect(await ask([`https://127.0.0.1:${vendor.port}/v1/x`], TRUSTED)).toEqual(["ok"]);
  expect(vendor.names).toEqual([false]);
});

const WRONG: [string, RegExp][] = [
  ["unknown-ca", /unknown authority, UNABLE_TO_VERIFY_LEAF_SIGNATURE: .*NODE_EXTRA_CA_CERTS/],
  ["self-signed", /unknown authority, DEPTH_ZERO_SELF_SIGNED_CERT: .*NODE_EXTRA_CA_CERTS/],
  ["expired", /certificate has expired/],
  ["other-host", /certificate is for another name or address/],
];
test.each(WRONG)(
  "a certificate that is '%s' is told as what it is, by name and by bare address",
  async (name, words) => {
    const vendor = await tlsVendor(name);
    const urls = ["localhost", "127.0.0.1"].map((host) => `https://${host}:${vendor.port}/v1/x`);
    expect(await ask(urls, TRUSTED)).toEqual(["unreachable", "unreachable"]);
    for (const told of await ask(urls, { ...TRUSTED, WHY: "1" })) expect(told).toMatch(words);
    expect(vendor.got()).toBe("");
  },
);

test("a call without certificate checks is left to fetch", async () => {
  const vendor = await tlsVendor("self-signed");
  expect(await ask([`https://localhost:${vendor.port}/`], { NODE_TLS_REJECT_UNAUTHORIZED: "0" })).toEqual(["ok"]);
});

const UNAGREED: [string, (server: Server) => void][] = [
  ["is silent", () => {}],
  ["hangs up", (server) => server.on("connection", (socket) => socket.once("data", () => socket.end()))],
  [
    "speaks no TLS",
    (server) => server.on("connection", (socket) => socket.once("data", () => socket.write("HTTP/1.1 400 No\r\n\r\n"))),
  ],
];
test.each(UNAGREED)("a server that %s is unreachable", async (_, behave) => {
  let got = "";
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      got += data.toString("latin1");
    });
  });
  behave(server);
  const port = await listen(server);
  expect(await ask([`https://localhost:${port}/v1/x`], { ...TRUSTED, CONNECT_MS: "500" })).toEqual(["unreachable"]);
  expect(got).not.toContain("secret");
});

test.each(["HTTP_PROXY", "http_proxy", "ALL_PROXY"])("where %s is set, calls go through the proxy", async (name) => {
  const asked: string[] = [];
  const proxy = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (data) => {
      asked.push(data.toString().split("\r\n")[0] ?? "");
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nby proxy!");
    });
  });
  const env = { [name]: `http://127.0.0.1:${await listen(proxy)}` };
  expect(await ask(["http://vendor.invalid/v1/x"], env)).toEqual(["by proxy!"]);
  expect(asked).toEqual(["POST http://vendor.invalid/v1/x HTTP/1.1"]);
});
