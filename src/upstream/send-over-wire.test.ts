import { afterEach, describe, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { VendorTimeouts } from "../core/catalog/catalog.ts";
import type { UpstreamCall } from "../wire/client/call.ts";
import type { UpstreamReply } from "../wire/client/reply.ts";
import { UpstreamError } from "../wire/client/upstream-error.ts";
import { Upstream } from "./send.ts";

const TIMEOUTS: VendorTimeouts = { connect_ms: 5000, first_byte_ms: 5000, idle_ms: 5000, total_ms: 20_000 };
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A vendor whose connections are numbered from 1. `serve` gets each connection with its number. */
async function vendor(serve: (socket: Socket, connection: number) => void, host = "127.0.0.1"): Promise<Vendor> {
  let count = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    count += 1;
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    serve(socket, count);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1/x`, port, open, connections: () => count };
}

interface Vendor {
  readonly url: string;
  readonly port: number;
  readonly open: Set<Socket>;
  readonly connections: () => number;
}

/** Calls `then` with each complete request of a connection, as latin1 text, and the number of requests before it. */
function onRequest(socket: Socket, then: (request: string, before: number) => void): void {
  let text = "";
  let before = 0;
  socket.on("data", (data) => {
    text += data.toString("latin1");
    for (;;) {
      const end = text.indexOf("\r\n\r\n") + 4;
      const size = end + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end < 4 || text.length < size) return;
      then(text.slice(0, size), before++);
      text = text.slice(size);
    }
  });
}

const answer = (body: string, headers = "") =>
  `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;

/** A vendor that answers each request with the number of its connection. */
const numbering = (headers = "", behind = "") =>
  vendor((socket, connection) => onRequest(socket, () => socket.write(answer(String(connection), headers) + behind)));

function start(upstream: Upstream, url: string, more: Partial<VendorTimeouts> = {}, body = "{}"): UpstreamCall {
  return upstream.start({ url, headers: { "x-a": "b" }, body, timeouts: { ...TIMEOUTS, ...more } });
}

async function ask(upstream: Upstream, url: string): Promise<string> {
  return text(await (await start(upstream, url).reply).readWhole());
}

const text = (bytes: string | Uint8Array | null) => Buffer.from(bytes ?? []).toString();

async function faultOf(work: unknown): Promise<UpstreamError> {
  const thrown: unknown = await Promise.resolve(work).then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof UpstreamError) return thrown;
  throw new Error("no UpstreamError", { cause: thrown });
}

async function readAll(reply: UpstreamReply): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await reply.read(); chunk !== null; chunk = await reply.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Resolves when none of the vendor's connections is open. */
async function allClosed({ open }: Vendor): Promise<void> {
  await Promise.all([...open].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
}

describe("connections", () => {
  test("are kept for the next call, the newest first", async () => {
    const upstream = new Upstream();
    const { url, connections } = await numbering();
    expect([await ask(upstream, url), await ask(upstream, url)]).toEqual(["1", "1"]);
    const together = await Promise.all([ask(upstream, url), ask(upstream, url), ask(upstream, url)]);
    expect(together.sort()).toEqual(["1", "2", "3"]);
    const last = await ask(upstream, url);
    expect(await ask(upstream, url)).toBe(last);
    expect(connections()).toBe(3);
  });

  test("belong to one origin", async () => {
    const upstream = new Upstream();
    const [one, other] = [await numbering(), await numbering()];
    await ask(upstream, one.url);
    await ask(upstream, other.url);
    expect([one.connections(), other.connections()]).toEqual([1, 1]);
    expect(await ask(upstream, `${one.url}/another/path?and=query`)).toBe("1");
  });

  const single: [string, string, string][] = [
    ["that the vendor says it will close", "Connection: close\r\n", ""],
    ["with bytes after the answer", "", "HTTP/1.1 200 OK"],
    ["that the vendor keeps for only a second", "Keep-Alive: timeout=1\r\n", ""],
  ];
  test.each(single)("%s are not used again", async (_, headers, behind) => {
    const upstream = new Upstream();
    const made = await numbering(headers, behind);
    expect([await ask(upstream, made.url), await ask(upstream, made.url)]).toEqual(["1", "2"]);
    await allClosed(made);
  });

  test("on which the vendor sends bytes without a request are closed and not used again", async () => {
    const upstream = new Upstream();
    const made = await numbering();
    await ask(upstream, made.url);
    const closed = allClosed(made);
    for (const socket of made.open) socket.write(answer("poison"));
    await closed;
    expect(await ask(upstream, made.url)).toBe("2");
  });

  test("that the vendor closed are not used again", async () => {
    const upstream = new Upstream();
    const made = await numbering();
    await ask(upstream, made.url);
    const closed = allClosed(made);
    for (const socket of made.open) socket.end();
    await closed;
    expect(await ask(upstream, made.url)).toBe("2");
  });

  test("that break during a request fail the call, which is not sent again", async () => {
    const requests: string[] = [];
    const { url } = await vendor((socket) =>
      onRequest(socket, (request, before) => {
        requests.push(request);
        if (before === 0) socket.write(answer("ok"));
        else socket.destroy();
      }),
    );
    const upstream = new Upstream();
    await ask(upstream, url);
    expect((await faultOf(start(upstream, url).reply)).fault).toBe("broken");
    expect(requests).toHaveLength(2);
    expect(await ask(upstream, url)).toBe("ok");
  });

  test("that are idle do not keep the process alive", async () => {
    const { url } = await numbering();
    const program = `
      const { Upstream } = await import(${JSON.stringify(`${import.meta.dir}/send.ts`)});
      const call = new Upstream().start({ url: ${JSON.stringify(url)}, headers: {}, body: "{}", timeouts: ${JSON.stringify(TIMEOUTS)} });
      process.stdout.write(Buffer.from(await (await call.reply).readWhole()).toString());`;
    const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" });
    expect([await child.stdout.text(), await child.exited]).toEqual(["1", 0]);
  });

  test.each(["127.0.0.1", "::1"])("to localhost are made to %s", async (host) => {
    const { port } = await vendor((socket) => onRequest(socket, () => socket.write(answer("ok"))), host);
    expect(await ask(new Upstream(), `http://localhost:${port}/`)).toBe("ok");
  });

  test("are made to IPv6 addresses", async () => {
    const { port } = await vendor((socket) => onRequest(socket, () => socket.write(answer("ok"))), "::1");
    expect(await ask(new Upstream(), `http://[::1]:${port}/`)).toBe("ok");
  });
});

describe("a request", () => {
  test("is sent in one piece, with its headers and its length", async () => {
    const came = Promise.withResolvers<string>();
    const { port } = await vendor((socket) =>
      socket.on("data", (data) => {
        came.resolve(data.toString());
        socket.write(answer("ok"));
      }),
    );
    const url = `http://localhost:${port}/a b?c=ü#d`;
    const headers = { "content-type": "application/json", authorization: "Bearer x" };
    await new Upstream().start({ url, headers, body: '{"é":"😀"}', timeouts: TIMEOUTS }).reply;
    expect(await came.promise).toBe(
      [
        "POST /a%20b?c=%C3%BC HTTP/1.1",
        `host: localhost:${port}`,
        "accept: */*",
        "content-type: application/json",
        "authorization: Bearer x",
        "content-length: 13",
        "",
        '{"é":"😀"}',
      ].join("\r\n"),
    );
  });

  test("with a line break in a header is not sent", async () => {
    const { url, connections } = await numbering();
    const broken = new Upstream().start({ url, headers: { a: "b\r\nc: d" }, body: "{}", timeouts: TIMEOUTS });
    const fault = await faultOf(broken.reply);
    expect([fault.fault, String(fault.cause)]).toEqual([
      "credential",
      "TypeError: the header 'a' has a value that cannot be sent",
    ]);
    expect(connections()).toBe(0);
  });

  test("that is large arrives complete at a vendor that reads slowly", async () => {
    const body = `"${"aé€😀".repeat(1_000_000)}"`;
    const hash = Promise.withResolvers<string>();
    const { url } = await vendor((socket) => {
      const hasher = new Bun.CryptoHasher("sha256");
      let head = "";
      let size = 0;
      socket.on("data", (data) => {
        socket.pause();
        setImmediate(() => socket.resume());
        let part = Buffer.from(data);
        if (!head.includes("\r\n\r\n")) {
          head += data.toString("latin1");
          if (!head.includes("\r\n\r\n")) return;
          part = Buffer.from(head.slice(head.indexOf("\r\n\r\n") + 4), "latin1");
        }
        hasher.update(part);
        size += part.length;
        if (size !== Buffer.byteLength(body)) return;
        hash.resolve(hasher.digest("hex"));
        socket.write(answer("ok"));
      });
    });
    const upstream = new Upstream();
    const reply = await start(upstream, url, {}, body).reply;
    expect(text(await reply.readWhole())).toBe("ok");
    expect(await hash.promise).toBe(new Bun.CryptoHasher("sha256").update(body).digest("hex"));
  });

  test("that is answered before it was read gets its answer, and its connection is not used again", async () => {
    const made = await vendor((socket, connection) => {
      if (connection > 1) return onRequest(socket, () => socket.write(answer(String(connection))));
      socket.once("data", () => {
        socket.pause();
        socket.write("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig");
      });
    });
    const upstream = new Upstream();
    const reply = await start(upstream, made.url, {}, "x".repeat(30_000_000)).reply;
    expect([reply.status, await reply.readErrorText()]).toEqual([413, "big"]);
    expect(await ask(upstream, made.url)).toBe("2");
  });

  test("that is given up before its signature is ready is not sent", async () => {
    const { url, connections } = await numbering();
    const signature = Promise.withResolvers<Record<string, string>>();
    const upstream = new Upstream();
    const call = upstream.start({ url, headers: {}, body: "{}", timeouts: TIMEOUTS, sign: () => signature.promise });
    call.abort();
    expect((await faultOf(call.reply)).fault).toBe("aborted");
    signature.resolve({ authorization: "late" });
    expect(await ask(upstream, url)).toBe("1");
    expect(connections()).toBe(1);
  });
});

describe("an answer", () => {
  test("that arrives faster than it is read pauses the vendor, and arrives complete", async () => {
    const pour = Buffer.alloc(1 << 20, "pour ");
    const pours = 64;
    let poured = 0;
    const { url } = await vendor((socket) =>
      socket.once("data", () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${pour.length * pours}\r\n\r\n`);
        const next = (): void => {
          if (poured === pours) return;
          socket.write(pour, () => {
            poured += 1;
            next();
          });
        };
        next();
      }),
    );
    const reply = await start(new Upstream(), url).reply;
    let before = -1;
    for (; poured !== before; await Bun.sleep(200)) before = poured;
    // The system's buffers between the two, and at most one read's bytes more than the queue holds.
    expect(poured).toBeLessThan(pours / 2);
    const hash = (bytes: Uint8Array) => new Bun.CryptoHasher("sha1").update(bytes).digest("hex");
    expect(hash(await readAll(reply))).toBe(hash(Buffer.concat(Array(pours).fill(pour))));
  });

  test("that is read slowly does not run into the idle timeout", async () => {
    const { url } = await vendor((socket) =>
      socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n")),
    );
    const reply = await start(new Upstream(), url, { idle_ms: 100 }).reply;
    expect(text(await reply.read())).toBe("ok");
    await Bun.sleep(600);
    expect((await faultOf(reply.read())).fault).toBe("idle_timeout");
  });

  const cut: [string, string, (socket: Socket) => void][] = [
    ["closed before its first byte", "", (socket) => socket.end()],
    ["closed within its head", "HTTP/1.1 200", (socket) => socket.end()],
    ["reset within its head", "HTTP/1.1 200", (socket) => socket.resetAndDestroy()],
    ["that is not HTTP", "hello\r\n\r\n", () => {}],
  ];
  test.each(cut)("%s is broken", async (_, bytes, then) => {
    const made = await vendor((socket) => socket.once("data", () => socket.write(bytes, () => then(socket))));
    const fault = await faultOf(start(new Upstream(), made.url).reply);
    expect(fault.fault).toBe("broken");
    expect(fault.message).toMatch(/the connection to the vendor broke \(.+\)/);
    await allClosed(made);
  });

  test("that ends with its connection is complete after a close, and broken after a reset", async () => {
    const ends = async (end: (socket: Socket) => void) => {
      const { url } = await vendor((socket) =>
        socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\n\r\nhello", () => end(socket))),
      );
      return await (await start(new Upstream(), url).reply).readWhole();
    };
    expect(text(await ends((socket) => socket.end()))).toBe("hello");
    expect((await faultOf(ends((socket) => setTimeout(() => socket.resetAndDestroy(), 20)))).fault).toBe("broken");
  });

  test("that breaks in the middle first gives the bytes that arrived", async () => {
    const { url } = await vendor((socket) =>
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nno chunk\r\n");
      }),
    );
    const reply = await start(new Upstream(), url).reply;
    expect(text(await reply.read())).toBe("ok");
    const fault = await faultOf(reply.read());
    expect([fault.fault, fault.message]).toEqual([
      "broken",
      "the connection to the vendor broke (its answer cannot be read: it has a chunk without a size)",
    ]);
  });

  test("that is larger than the gateway's limit is refused", async () => {
    const made = await vendor((socket) =>
      socket.once("data", () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${70 << 20}\r\n\r\n`);
        socket.write(Buffer.alloc(70 << 20));
      }),
    );
    const reply = await start(new Upstream(), made.url).reply;
    expect((await faultOf(reply.readWhole())).fault).toBe("too_large");
    await allClosed(made);
  });

  test("that should be small is refused above a megabyte, whether it arrives in one piece or in several", async () => {
    const made = await vendor((socket) =>
      socket.once("data", () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${(1 << 20) + 1}\r\n\r\n`);
        socket.write(Buffer.alloc((1 << 20) + 1, " "));
      }),
    );
    const reply = await start(new Upstream(), made.url).reply;
    expect((await faultOf(reply.readSmall())).fault).toBe("too_large");
    await allClosed(made);
  });
});

/** Leaves answers that are compressed and cut short: before anything was read of them, or amid a read. */
const LEAVING = `
  import { createServer } from "node:net";
  import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
  import { Upstream } from ${JSON.stringify(join(import.meta.dir, "send.ts"))};
  const plain = Buffer.from("an answer that is cut short");
  const gzip = gzipSync(plain);
  const cut = {
    gzip: gzip.subarray(0, 12),
    br: brotliCompressSync(plain).subarray(0, 12),
    zstd: zstdCompressSync(plain).subarray(0, 12),
    "gzip, gzip": gzipSync(gzip.subarray(0, 12)),
  };
  let coding = "";
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      const body = cut[coding];
      socket.write("HTTP/1.1 200 OK\\r\\ncontent-encoding: " + coding + "\\r\\ncontent-length: " + body.length + "\\r\\n\\r\\n");
      socket.end(body);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = "http://127.0.0.1:" + server.address().port + "/";
  const upstream = new Upstream();
  const timeouts = { connect_ms: 60_000, first_byte_ms: 60_000, idle_ms: 60_000, total_ms: 60_000 };
  const ways = [() => {}, (reply) => reply.close(), (reply) => reply.read().catch(() => {}).then(() => reply.close())];
  let left = 0;
  for (coding of Object.keys(cut)) for (const leave of ways) {
    leave(await upstream.start({ url, headers: {}, body: "{}", timeouts }).reply);
    left += 1;
    // What is thrown is thrown once the end of the answer has come.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  console.log("left " + left + " answers");
  process.exit(0);
`;

describe("a compressed answer", () => {
  const plain = Buffer.from(JSON.stringify({ text: "compressed although nobody asked for it ".repeat(5000) }));
  const codings: [string, Buffer][] = [
    ["gzip", gzipSync(plain)],
    ["x-gzip", gzipSync(plain)],
    ["deflate", deflateSync(plain)],
    ["deflate ", deflateRawSync(plain)],
    ["br", brotliCompressSync(plain)],
    ["zstd", zstdCompressSync(plain)],
    ["gzip, br", brotliCompressSync(gzipSync(plain))],
    ["identity", plain],
    ["unheard-of", plain],
  ];
  const compressing = (coding: string, body: Buffer) =>
    vendor((socket) =>
      onRequest(socket, () => {
        const half = body.length >> 1;
        socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`);
        socket.write(body.subarray(0, half), () => socket.write(body.subarray(half)));
      }),
    );

  test.each(codings)("by %s is unpacked, and its connection used again", async (coding, body) => {
    const upstream = new Upstream();
    const { url, connections } = await compressing(coding, body);
    expect(await ask(upstream, url)).toBe(plain.toString());
    expect((await readAll(await start(upstream, url).reply)).equals(plain)).toBe(true);
    expect(connections()).toBe(1);
  });

  test.each(codings.slice(0, 6))("by %s is broken when its bytes are in another format", async (coding) => {
    const { url } = await compressing(coding, Buffer.from("not compressed at all"));
    expect((await faultOf(ask(new Upstream(), url))).fault).toBe("broken");
  });

  test("is broken when it is cut short", async () => {
    const { url } = await compressing("gzip", gzipSync(plain).subarray(0, 100));
    expect((await faultOf(ask(new Upstream(), url))).fault).toBe("broken");
  });

  test("that is cut short, and left before that shows, ends nothing but itself", async () => {
    // In a process of its own: what is thrown there reaches nobody, and ends it.
    const child = Bun.spawn([process.execPath, "-e", LEAVING], { stdout: "pipe", stderr: "pipe" });
    const [told, failed] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect([told, failed, await child.exited]).toEqual(["left 12 answers\n", "", 0]);
  }, 60_000);

  test("that pauses for too long is an idle timeout", async () => {
    const { url } = await vendor((socket) =>
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 500\r\n\r\n");
        socket.write(gzipSync(plain).subarray(0, 50));
      }),
    );
    expect((await faultOf((await start(new Upstream(), url, { idle_ms: 100 }).reply).readWhole())).fault).toBe(
      "idle_timeout",
    );
  });
});

describe("giving up", () => {
  test("thousands of calls at random moments leaves no connection open", async () => {
    const made = await vendor((socket) =>
      onRequest(socket, (_, before) => {
        if (before % 2 === 0) socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n");
      }),
    );
    const upstream = new Upstream();
    const giveUp = async (index: number): Promise<string> => {
      const call = start(upstream, made.url);
      if (index % 4 === 1) await Promise.resolve();
      if (index % 4 === 2) await new Promise((resolve) => setImmediate(resolve));
      if (index % 4 === 3) {
        const reply = await call.reply;
        await reply.read();
        const waiting = faultOf(reply.read());
        call.abort();
        return (await waiting).fault;
      }
      call.abort();
      return (await faultOf(call.reply.then((reply) => reply.read().then(() => reply.read())))).fault;
    };
    for (let round = 0; round < 30; round++) {
      const faults = await Promise.all(Array.from({ length: 100 }, (_, index) => giveUp(index)));
      expect(new Set(faults)).toEqual(new Set(["aborted"]));
    }
    await allClosed(made);
    // Connections whose calls were given up while they were being made may arrive only now.
    for (let open = -1; open !== 0; await Bun.sleep(50)) open = made.open.size;
  }, 20_000);

  test("twice, or after the answer, changes nothing", async () => {
    const upstream = new Upstream();
    const { url } = await numbering();
    const call = start(upstream, url);
    const reply = await call.reply;
    expect(text(await reply.readWhole())).toBe("1");
    call.abort();
    reply.close();
    expect(await reply.read()).toBeNull();
    expect(await ask(upstream, url)).toBe("1");
  });

  test("by the reader of the last piece closes the connection, which is not used again", async () => {
    const upstream = new Upstream();
    const made = await vendor((socket, connection) =>
      onRequest(socket, () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n`);
        setTimeout(() => socket.write(`#${connection}`), 20);
      }),
    );
    const reply = await start(upstream, made.url).reply;
    const taken = await new Promise((resolve, reject) => {
      const take = (piece: Uint8Array | null) => {
        reply.close();
        resolve(piece === null ? null : text(piece));
      };
      reply.readTo({ take, fail: reject });
    });
    expect(taken).toBe("#1");
    await allClosed(made);
    expect(await ask(upstream, made.url)).toBe("#2");
  });

  test("on a request that the vendor does not read closes the connection", async () => {
    const made = await vendor((socket) => socket.pause());
    const call = start(new Upstream(), made.url, {}, "x".repeat(30_000_000));
    while (made.open.size === 0) await Bun.sleep(5);
    call.abort();
    expect((await faultOf(call.reply)).fault).toBe("aborted");
    for (const socket of made.open) socket.resume();
    await allClosed(made);
  });
});
