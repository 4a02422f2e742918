import { afterEach, describe, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { VendorTimeouts } from "../core/catalog/catalog.ts";
import type { UpstreamReply } from "../wire/client/reply.ts";
import type { UpstreamError } from "../wire/client/upstream-error.ts";
import { Upstream } from "./send.ts";

const TIMEOUTS: VendorTimeouts = { connect_ms: 1000, first_byte_ms: 5000, idle_ms: 5000, total_ms: 10_000 };
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A vendor that answers every connection with these bytes, and then calls `after`. */
async function vendor(bytes: string, after: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(bytes);
      after(socket);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/x`;
}

function call(url: string, timeouts: Partial<VendorTimeouts> = {}) {
  return new Upstream().start({ url, headers: {}, body: "{}", timeouts: { ...TIMEOUTS, ...timeouts } });
}

async function faultOf(work: unknown): Promise<string> {
  const thrown = await Promise.resolve(work).then(
    () => null,
    (error: UpstreamError) => error,
  );
  return thrown === null ? "none" : thrown.fault;
}

async function readAll(reply: UpstreamReply): Promise<string> {
  let text = "";
  for (let chunk = await reply.read(); chunk !== null; chunk = await reply.read())
    text += Buffer.from(chunk).toString();
  return text;
}

const HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const WHOLE = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

describe("a call to a vendor", () => {
  test("reads the whole body at once", async () => {
    const reply = await call(await vendor(WHOLE, () => {})).reply;
    expect(Buffer.from(await reply.readWhole()).toString()).toBe("hello");
  });

  test("reads the body in pieces", async () => {
    const reply = await call(await vendor(`${HEAD}5\r\nhello\r\n0\r\n\r\n`, () => {})).reply;
    expect(await readAll(reply)).toBe("hello");
  });

  test("a refused connection is unreachable", async () => {
    const url = await vendor("", () => {});
    await new Promise((resolve) => servers.pop()?.close(resolve));
    expect(await faultOf(call(url).reply)).toBe("unreachable");
  });

  test("an address that is none is unreachable, at once", async () => {
    expect(await faultOf(call("https://a b.example/v1/x").reply)).toBe("unreachable");
  });

  test("a header that cannot be sent is a fault of the credential, not of the connection", async () => {
    const request = { url: await vendor(WHOLE, () => {}), body: "{}", timeouts: TIMEOUTS };
    const { reply } = new Upstream().start({ ...request, headers: { authorization: "Bearer sk-漢" } });
    const thrown = await reply.catch((error: unknown) => error);
    expect(thrown).toMatchObject({ fault: "credential", message: expect.stringContaining("'authorization'") });
    expect(String(thrown)).not.toContain("漢");
  });

  test("an unknown host is unreachable", async () => {
    expect(await faultOf(call("http://no-such-host.invalid/v1/x").reply)).toBe("unreachable");
  });

  test("a vendor that is silent is a first-byte timeout", async () => {
    const url = await vendor("", () => {});
    expect(await faultOf(call(url, { first_byte_ms: 100 }).reply)).toBe("first_byte_timeout");
  });

  test("a vendor that stops in the middle of its answer is an idle timeout", async () => {
    const url = await vendor(`${HEAD}5\r\nhello\r\n`, () => {});
    const reply = await call(url, { idle_ms: 100 }).reply;
    expect(Buffer.from((await reply.read()) ?? []).toString()).toBe("hello");
    expect(await faultOf(reply.read())).toBe("idle_timeout");
  });

  test("a vendor that sends byte by byte for too long is a total timeout", async () => {
    const url = await vendor(HEAD, (socket) => {
      const drip = setInterval(() => socket.write("1\r\nx\r\n"), 20);
      socket.on("close", () => clearInterval(drip));
    });
    const reply = await call(url, { total_ms: 300 }).reply;
    expect(await faultOf(readAll(reply))).toBe("total_timeout");
  });

  test("a connection that is cut in the middle is broken", async () => {
    const url = await vendor(`${HEAD}5\r\nhello\r\n`, (socket) => setImmediate(() => socket.destroy()));
    const reply = await call(url).reply;
    expect(await faultOf(readAll(reply))).toBe("broken");
  });

  test("a body that ends before its announced length is broken when it is read at once", async () => {
    const url = await vendor("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello", (socket) => socket.end());
    const reply = await call(url).reply;
    expect(await faultOf(reply.readWhole())).toBe("broken");
  });

  test("closing the reply closes the vendor's connection", async () => {
    const closed = Promise.withResolvers<void>();
    const url = await vendor(`${HEAD}5\r\nhello\r\n`, (socket) => socket.on("close", () => closed.resolve()));
    const started = call(url);
    const reply = await started.reply;
    await reply.read();
    started.abort();
    await closed.promise;
    expect(await faultOf(reply.read())).toBe("aborted");
  });

  test("an error's body is read as text, at most 64 KiB of it", async () => {
    const body = "x".repeat(200_000);
    const url = await vendor(`HTTP/1.1 500 Oops\r\nContent-Length: ${body.length}\r\n\r\n${body}`, () => {});
    const reply = await call(url).reply;
    expect([reply.status, (await reply.readErrorText()).length]).toEqual([500, 65_536]);
  });

  test.each([
    ["our own client", "http://", undefined],
    [
      "our own client, signed",
      "http://",
      async ({ body }: { body: string | Uint8Array }) => ({ "x-signed": String(body) }),
    ],
    ["fetch", "http://user:password@", undefined],
  ])("a body in parts arrives as one by %s", async (_who, scheme, sign) => {
    const echo = async (request: Request) => new Response((await request.text()) + request.headers.get("x-signed"));
    await using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: echo });
    const url = `${scheme}127.0.0.1:${server.port}/`;
    const body = ['{"model":', '"a"', ',"messages":[]}'];
    const { reply } = new Upstream().start({ url, headers: {}, body, timeouts: TIMEOUTS, ...(sign && { sign }) });
    const answered = Buffer.from(await (await reply).readWhole()).toString();
    expect(answered).toBe(body.join("") + (sign === undefined ? null : body.join("")));
  });

  test("a redirect is not followed", async () => {
    let asked = 0;
    const url = await vendor("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n", () => {
      asked += 1;
    });
    expect((await call(url).reply).status).toBe(302);
    expect(asked).toBe(1);
  });
});
