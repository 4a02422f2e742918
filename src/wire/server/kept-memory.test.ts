import { heapStats } from "bun:jsc";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { BodyPieces } from "./body-pieces.ts";
import { BodyRoom } from "./body-room.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { WireServer } from "./wire-server.ts";

/**
 * How much memory what is kept of a request keeps alive. A sender chooses how its bytes are cut into packets and chunks, so a
 * kept view of a packet may keep much more than the bytes that were counted. Bounds are generous: they differ from the fault
 * by a factor of five or more.
 */

const MIB = 2 ** 20;
const PATIENT = {
  head_ms: 60_000,
  stall_ms: 60_000,
  total_ms: 60_000,
  idle_ms: 60_000,
  unread_ms: 60_000,
  beat_ms: 60_000,
};
const bodies = new BodyRoom("all", 1024 * MIB);

let server: WireServer;
const open: Socket[] = [];

beforeAll(() => {
  const handle = async (request: IncomingRequest): Promise<void> => {
    if (request.head.path === "/refuse") return request.answer({ status: 404, headers: "", body: "" });
    const text = await request.text(64 * MIB);
    request.answer({ status: 200, headers: "", body: String(text.length) });
  };
  server = new WireServer(
    {
      handle: (request) => void handle(request).catch(() => {}),
      refuse: () => ({ status: 400, headers: "", body: "" }),
      failed: (thrown) => {
        throw thrown;
      },
      most_body_bytes: 64 * MIB,
      bodies,
    },
    PATIENT,
    { hostname: "127.0.0.1", port: 0 },
  );
});

afterAll(() => {
  for (const socket of open) socket.destroy();
  server.cut();
});

async function client(): Promise<Socket> {
  const socket = connect(server.port, "127.0.0.1");
  socket.setNoDelay(true);
  socket.on("error", () => {}).resume();
  open.push(socket);
  await new Promise((resolve) => socket.once("connect", resolve));
  return socket;
}

/** Writes, and resolves when the system has taken all of it. */
function sendAll(socket: Socket, bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => socket.write(bytes, () => resolve()));
}

/** Bytes of live objects and of the memory that they hold outside of the heap. */
function live_bytes(): number {
  Bun.gc(true);
  const { heapSize, extraMemorySize } = heapStats();
  return heapSize + extraMemorySize;
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries === 1000) throw new Error(`it never came to hold; ${bodies.used_bytes} bytes have arrived`);
    await Bun.sleep(10);
  }
}

/** How much more memory is alive after the work than before. */
async function grownBy(work: () => Promise<void>): Promise<number> {
  const before = live_bytes();
  await work();
  return live_bytes() - before;
}

function grownNow(work: () => void): number {
  const before = live_bytes();
  work();
  return live_bytes() - before;
}

describe("an unfinished body keeps about its own size alive", () => {
  const CHUNKED = "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";

  test("where most of the bytes are the chunks' extensions", async () => {
    const socket = await client();
    const data_bytes = 8192;
    const extension = `;${"e".repeat(4000)}`;
    // A chunk of 1 KiB behind each 4 KB of extension: a fifth is data.
    const chunk = Buffer.concat([Buffer.from(`400${extension}\r\n`), Buffer.alloc(1024, "x"), Buffer.from("\r\n")]);
    const packet = Buffer.concat(Array.from({ length: data_bytes / 1024 }, () => chunk));
    const grown = await grownBy(async () => {
      await sendAll(socket, CHUNKED);
      for (let sent = 0; sent < 1000; sent += 1) await sendAll(socket, packet);
      await until(() => bodies.used_bytes === 1000 * data_bytes);
    });
    expect(grown).toBeLessThan(3 * 1000 * data_bytes + 4 * MIB);
    socket.destroy();
    await until(() => bodies.used_bytes === 0);
  });

  test("where it comes byte by byte", () => {
    const pieces = new BodyPieces();
    const grown = grownNow(() => {
      for (let sent = 0; sent < 200_000; sent += 1) pieces.add(Buffer.allocUnsafeSlow(1).fill("x"));
    });
    expect(grown).toBeLessThan(3 * MIB);
    expect(pieces.join()).toHaveLength(200_000);
  });

  test("where small pieces and large ones take turns", () => {
    const pieces = new BodyPieces();
    const large_bytes = 16 * 1024;
    const grown = grownNow(() => {
      for (let sent = 0; sent < 500; sent += 1) {
        pieces.add(Buffer.allocUnsafeSlow(1).fill("x"));
        pieces.add(Buffer.allocUnsafeSlow(large_bytes).fill("x"));
      }
    });
    // The runtime counts such memory twice; a block of 64 KiB for each small piece would be ten times as much.
    expect(grown).toBeLessThan(4 * 500 * large_bytes);
    expect(pieces.join()).toHaveLength(500 * (large_bytes + 1));
  });
});

test("the beginning of a head does not keep the packet that it came in", async () => {
  const packet = Buffer.concat([
    Buffer.from(`POST /refuse HTTP/1.1\r\nhost: x\r\ncontent-length: ${60_000}\r\n\r\n`),
    Buffer.alloc(60_000, "x"),
    Buffer.from("G"),
  ]);
  const sockets: Socket[] = [];
  for (let opened = 0; opened < 300; opened += 1) sockets.push(await client());
  const grown = await grownBy(async () => {
    for (const socket of sockets) await sendAll(socket, packet);
    await Bun.sleep(500);
  });
  // 300 packets are 18 MB.
  expect(grown).toBeLessThan(6 * MIB);
});

test("request lines that are remembered do not keep their heads", async () => {
  const socket = await client();
  const filler = `x-filler: ${"f".repeat(15_000)}\r\n`;
  const grown = await grownBy(async () => {
    for (let sent = 0; sent < 90; sent += 1)
      await sendAll(socket, `GET /refuse?${sent} HTTP/1.1\r\nhost: x\r\n${filler}\r\n`);
    await Bun.sleep(300);
  });
  // 90 heads are 1.35 MB.
  expect(grown).toBeLessThan(0.7 * MIB);
});
