import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import zlib from "node:zlib";
import fc from "fast-check";
import { toGatewayError } from "../../core/errors.ts";
import { BodyRoom } from "./body-room.ts";
import type { ClientTimeouts } from "./client-timeouts.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { type RequestHandler, WireServer } from "./wire-server.ts";

/** Unfinished bodies on real connections: the room that they take, and that all of it is given back. */

const LIMIT_BYTES = 400_000;
const all = new BodyRoom("all", 1_000_000);
const own = new BodyRoom("key", 600_000);
const PATIENT = {
  head_ms: 60_000,
  stall_ms: 60_000,
  total_ms: 60_000,
  idle_ms: 60_000,
  unread_ms: 60_000,
  beat_ms: 60_000,
};
/** For bodies that come too slowly. */
const IMPATIENT = { ...PATIENT, stall_ms: 300 };

let patient: WireServer;
let impatient: WireServer;
/** Requests under `/hold` wait for this before they ask for their bodies. */
let gate = Promise.withResolvers<void>();

async function answer(request: IncomingRequest): Promise<void> {
  const { path } = request.head;
  const reply = (status: number, body: string): void => request.answer({ status, headers: "", body });
  if (path === "/refuse") return reply(401, "no");
  if (path === "/hold") await gate.promise;
  try {
    const text = await request.text(LIMIT_BYTES, path === "/nobody" ? null : own);
    reply(200, String(text.length));
  } catch (thrown) {
    reply(toGatewayError(thrown).row.status, toGatewayError(thrown).message);
  }
}

function listen(timeouts: ClientTimeouts): WireServer {
  const handler: RequestHandler = {
    handle: (request) => void answer(request),
    refuse: (_line, error) => ({ status: error.row.status, headers: "", body: error.message }),
    failed: (thrown) => {
      throw thrown;
    },
    most_body_bytes: LIMIT_BYTES,
    bodies: all,
  };
  return new WireServer(handler, timeouts, { hostname: "127.0.0.1", port: 0 });
}

beforeAll(() => {
  patient = listen(PATIENT);
  impatient = listen(IMPATIENT);
});

afterAll(() => {
  patient.cut();
  impatient.cut();
});

class Client {
  text = "";
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  #wake = Promise.withResolvers<void>();

  constructor(server = patient) {
    this.#socket = connect(server.port, "127.0.0.1");
    this.#socket.setNoDelay(true);
    this.#socket.on("error", () => {});
    this.#socket.on("data", (bytes) => {
      this.text += bytes.toString("latin1");
      this.#nudge();
    });
    this.closed = new Promise((resolve) => this.#socket.on("close", () => resolve()));
    void this.closed.then(() => this.#nudge());
  }

  send(bytes: string | Uint8Array): this {
    this.#socket.write(bytes);
    return this;
  }

  /** How many bytes the system has not taken yet. */
  get unsent_bytes(): number {
    return this.#socket.writableLength;
  }

  leave(): void {
    this.#socket.destroy();
  }

  /** The status of the answer. */
  async status(): Promise<number> {
    for (;;) {
      const found = /^HTTP\/1\.1 (?!100)(\d{3})/m.exec(this.text)?.[1];
      if (found !== undefined) return Number(found);
      await this.#wake.promise;
    }
  }

  #nudge(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}

const head = (path: string, ...lines: readonly string[]): string =>
  `${[`POST ${path} HTTP/1.1`, "host: x", ...lines].join("\r\n")}\r\n\r\n`;
const sized = (path: string, bytes: number): string => head(path, `content-length: ${bytes}`);
const CHUNKED = "transfer-encoding: chunked";

async function eventually(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries === 500) throw new Error(`it never came to hold: ${all.used_bytes} of all, ${own.used_bytes} of the key`);
    await Bun.sleep(10);
  }
}

const atRest = (): Promise<void> => eventually(() => all.used_bytes === 0 && own.used_bytes === 0);

describe("the bytes of a body", () => {
  test("count from the first to the last, for its key and for all", async () => {
    const client = new Client().send(sized("/", 200_000)).send(Buffer.alloc(150_000, "x"));
    await eventually(() => own.used_bytes === 150_000);
    expect(all.used_bytes).toBe(150_000);
    client.send(Buffer.alloc(50_000, "x"));
    expect(await client.status()).toBe(200);
    expect([all.used_bytes, own.used_bytes]).toEqual([0, 0]);
    client.leave();
  });

  test("beyond the key's room are a 503, and leave the bodies that fit alone", async () => {
    const first = new Client().send(sized("/", 400_000)).send(Buffer.alloc(399_999, "x"));
    await eventually(() => own.used_bytes === 399_999);
    const announced = new Client().send(head("/", "content-length: 300000", "expect: 100-continue"));
    expect(await announced.status()).toBe(503);
    expect(announced.text).not.toContain("100 Continue");
    const chunked = new Client().send(head("/", CHUNKED)).send(`${(300_000).toString(16)}\r\n`);
    chunked.send(Buffer.alloc(300_000, "x"));
    expect(await chunked.status()).toBe(503);
    expect(chunked.text).toContain("this API key may have 600000 bytes");
    const other = new Client().send(sized("/nobody", 300_000)).send(Buffer.alloc(300_000, "x"));
    expect(await other.status()).toBe(200);
    first.send("x");
    expect(await first.status()).toBe(200);
    for (const client of [first, announced, chunked, other]) client.leave();
    await atRest();
  });

  test("beyond the room of all are a 503", async () => {
    const many = [0, 1, 2].map(() => new Client().send(sized("/nobody", 330_000)).send(Buffer.alloc(329_000, "x")));
    await eventually(() => all.used_bytes === 987_000);
    const late = new Client().send(head("/nobody", CHUNKED)).send(`${(100_000).toString(16)}\r\n`);
    late.send(Buffer.alloc(100_000, "x"));
    expect(await late.status()).toBe(503);
    expect(late.text).toContain("All unfinished bodies here may have 1000000 bytes");
    const announced = new Client().send(sized("/nobody", 100_000));
    expect(await announced.status()).toBe(503);
    for (const client of [...many, late, announced]) client.leave();
    await atRest();
  });

  test("count once they are unpacked, however few were sent", async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(350_000, "x"));
    const lines = (path: string) => head(path, "content-encoding: gzip", `content-length: ${bomb.length}`);
    const first = new Client().send(sized("/", 400_000)).send(Buffer.alloc(399_999, "x"));
    await eventually(() => own.used_bytes === 399_999);
    const packed = new Client().send(lines("/")).send(bomb);
    expect(await packed.status()).toBe(503);
    const other = new Client().send(lines("/nobody")).send(bomb);
    expect(await other.status()).toBe(200);
    for (const client of [first, packed, other]) client.leave();
    await atRest();
  });
});

test("a body that no route has asked for yet is not read on, and is read once a route asks", async () => {
  gate = Promise.withResolvers();
  const bytes = 60 * 2 ** 20;
  const client = new Client().send(sized("/hold", bytes)).send(Buffer.alloc(bytes, "x"));
  await Bun.sleep(300);
  // Bytes beyond the system's buffers are still with the client.
  expect(client.unsent_bytes).toBeGreaterThan(bytes / 2);
  expect(all.used_bytes).toBeLessThanOrEqual(LIMIT_BYTES);
  gate.resolve();
  expect(await client.status()).toBe(413);
  client.leave();
  await atRest();

  gate = Promise.withResolvers();
  const small = new Client().send(sized("/hold", 300_000)).send(Buffer.alloc(150_000, "x"));
  await Bun.sleep(100);
  gate.resolve();
  small.send(Buffer.alloc(150_000, "x"));
  expect(await small.status()).toBe(200);
  small.leave();
});

test("a body that was given up and came to its end all the same does not stop the next request", async () => {
  const client = new Client();
  const chunk = `${(LIMIT_BYTES / 4).toString(16)}\r\n${"x".repeat(LIMIT_BYTES / 4)}\r\n`;
  client.send(`${head("/", CHUNKED)}${chunk.repeat(5)}0\r\n\r\n${sized("/", 2)}{}`);
  expect(await client.status()).toBe(413);
  // If the body's end had come with the rest, the connection goes on; else it is closed.
  await Promise.race([client.closed, eventually(() => client.text.includes("HTTP/1.1 200"))]);
  client.leave();
});

describe("whatever way a request ends, its bytes are given back:", () => {
  const packed = zlib.gzipSync(Buffer.alloc(200_000, "x"));
  const bomb = zlib.gzipSync(Buffer.alloc(2_000_000, "x"));
  const gzip = (path: string, data: Buffer, cut = data.length): string | Buffer =>
    Buffer.concat([Buffer.from(head(path, "content-encoding: gzip", `content-length: ${cut}`)), data.subarray(0, cut)]);
  /** Ways to end a request. Each resolves when it has its answer or has left. On a slow machine the server may refuse any of them for slowness. */
  const WAYS = {
    "it is whole": async (client: Client) => {
      client.send(sized("/", 5000)).send(Buffer.alloc(2500)).send(Buffer.alloc(2500));
      expect([200, 408, 503]).toContain(await client.status());
    },
    "it is unpacked": async (client: Client) => {
      client.send(gzip("/", packed));
      expect([200, 408, 503]).toContain(await client.status());
    },
    "it is too large once it is unpacked": async (client: Client) => {
      client.send(gzip("/", bomb));
      expect([413, 408, 503]).toContain(await client.status());
    },
    "it cannot be unpacked": async (client: Client) => {
      client.send(gzip("/", packed, packed.length - 5));
      expect([400, 408, 503]).toContain(await client.status());
    },
    "its client leaves while it is unpacked": async (client: Client) => {
      client.send(gzip("/", packed));
      await Bun.sleep(1);
      client.leave();
    },
    "its client leaves in the middle": async (client: Client) => {
      client.send(sized("/", 300_000)).send(Buffer.alloc(100_000));
      await Bun.sleep(20);
      client.leave();
    },
    "its client leaves before a route asks": async (client: Client) => {
      client.send(sized("/hold", 300_000)).send(Buffer.alloc(100_000));
      await Bun.sleep(20);
      client.leave();
    },
    "it comes too slowly": async (client: Client) => {
      client.send(sized("/", 300_000)).send(Buffer.alloc(30_000));
      expect([408, 503]).toContain(await client.status());
    },
    "it is too large": async (client: Client) => {
      client.send(sized("/", LIMIT_BYTES + 1)).send(Buffer.alloc(10_000));
      expect(await client.status()).toBe(413);
    },
    "it grows too large": async (client: Client) => {
      client.send(head("/", CHUNKED));
      for (let sent = 0; sent < 9; sent += 1)
        client
          .send(`${(50_000).toString(16)}\r\n`)
          .send(Buffer.alloc(50_000))
          .send("\r\n");
      expect([413, 408, 503]).toContain(await client.status());
    },
    "its chunks are broken": async (client: Client) => {
      client.send(head("/", CHUNKED)).send("5\r\nhello\r\nxyz\r\n");
      expect([400, 408, 503]).toContain(await client.status());
    },
    "it is answered unread": async (client: Client) => {
      client.send(sized("/refuse", 300_000)).send(Buffer.alloc(100_000));
      expect(await client.status()).toBe(401);
    },
    "there is no room for it": async (client: Client) => {
      client.send(sized("/", 390_000)).send(Buffer.alloc(390_000));
      expect([200, 408, 503]).toContain(await client.status());
    },
  };
  const names = Object.keys(WAYS) as (keyof typeof WAYS)[];

  test.each(names)("%s", async (name) => {
    gate = Promise.withResolvers();
    const client = new Client(impatient);
    await WAYS[name](client);
    gate.resolve();
    client.leave();
    await atRest();
  });

  test("many at once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 12 }), async (ways) => {
        gate = Promise.withResolvers();
        const clients = ways.map(() => new Client(impatient));
        await Promise.all(ways.map((name, index) => WAYS[name](clients[index] as Client)));
        gate.resolve();
        for (const client of clients) client.leave();
        await atRest();
      }),
      { numRuns: 12, seed: 20261123 },
    );
  });
});
