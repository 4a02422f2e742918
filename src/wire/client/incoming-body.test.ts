import { describe, expect, test } from "bun:test";
import { Deadlines } from "../deadlines.ts";
import { Call } from "./call.ts";
import { IncomingBody } from "./incoming-body.ts";
import type { PieceReader } from "./reply.ts";
import { UpstreamError } from "./upstream-error.ts";

const TIMEOUTS = { connect_ms: 5000, first_byte_ms: 5000, idle_ms: 5000, total_ms: 9000 };

/** A body that records pauses and resumes of its connection, with a call that nobody waits for. */
function incoming() {
  const flow: string[] = [];
  const call = new Call(new Deadlines(), TIMEOUTS);
  call.reply.catch(() => {});
  const body = new IncomingBody({ pause: () => void flow.push("pause"), resume: () => void flow.push("resume") }, call);
  return { body, flow, [Symbol.dispose]: () => call.abort() };
}

/** A reader that records what it receives. */
function noting() {
  const met: unknown[] = [];
  const reader: PieceReader = {
    take: (bytes) => void met.push(bytes === null ? null : Buffer.from(bytes).toString()),
    fail: (fault) => void met.push((fault as UpstreamError).fault),
  };
  return { reader, met };
}

const piece = (text: string) => Buffer.from(text);
const textOf = async (read: Promise<Uint8Array | null>) => {
  const bytes = await read;
  return bytes === null ? null : Buffer.from(bytes).toString();
};

describe("an incoming body", () => {
  test("gives readers that wait at the same time one piece each, in turn", async () => {
    using made = incoming();
    const reads = [made.body.read(), made.body.read(), made.body.read(), made.body.read()].map(textOf);
    made.body.push(piece("a"));
    made.body.push(piece("b"));
    await Promise.resolve();
    made.body.push(piece("c"));
    made.body.end();
    expect(await Promise.all(reads)).toEqual(["a", "b", "c", null]);
    expect(await made.body.read()).toBeNull();
  });

  test("gives every reader the pieces that arrived, then the fault", async () => {
    using made = incoming();
    made.body.push(piece("a"));
    made.body.fail(new UpstreamError("broken", "cut"));
    expect(await textOf(made.body.read())).toBe("a");
    const faults = [made.body.read(), made.body.read()].map((read) => read.catch((fault: unknown) => fault));
    expect(await Promise.all(faults)).toMatchObject([{ fault: "broken" }, { fault: "broken" }]);
  });

  test("rejects for all waiting readers when it breaks", async () => {
    using made = incoming();
    const reads = [made.body.read(), made.body.read()].map((read) => read.catch((fault: UpstreamError) => fault.fault));
    made.body.fail(new UpstreamError("idle_timeout", "silence"));
    expect(await Promise.all(reads)).toEqual(["idle_timeout", "idle_timeout"]);
  });

  test("hands one piece to a reader that asked, when the piece arrives", () => {
    using made = incoming();
    const { reader, met } = noting();
    expect(made.body.handNext(reader)).toBe(true);
    expect(met).toEqual([]);
    made.body.push(piece("a"));
    made.body.push(piece("b"));
    expect(met).toEqual(["a"]);
  });

  test.each<[string, (body: IncomingBody) => void, string | null]>([
    ["ends", (body) => body.end(), null],
    ["breaks", (body) => body.fail(new UpstreamError("broken", "cut")), "broken"],
  ])("tells a reader that asked when it %s", (_what, happen, told) => {
    using made = incoming();
    const { reader, met } = noting();
    made.body.handNext(reader);
    happen(made.body);
    expect(met).toEqual([told]);
  });

  test("hands on no piece that is there already or that another reader waits for", async () => {
    using made = incoming();
    const { reader, met } = noting();
    made.body.push(piece("a"));
    expect(made.body.handNext(reader)).toBe(false);
    expect(await textOf(made.body.read())).toBe("a");
    const other = textOf(made.body.read());
    expect(made.body.handNext(reader)).toBe(false);
    made.body.push(piece("b"));
    expect(await other).toBe("b");
    made.body.end();
    expect(made.body.handNext(reader)).toBe(false);
    expect(met).toEqual([]);
  });

  test("gives a second reader the piece after the one that the first reader gets", async () => {
    using made = incoming();
    const { reader, met } = noting();
    made.body.handNext(reader);
    const behind = [made.body.read(), made.body.read()].map(textOf);
    made.body.push(piece("a"));
    made.body.push(piece("b"));
    made.body.end();
    expect(await Promise.all(behind)).toEqual(["b", null]);
    expect(met).toEqual(["a"]);
  });

  test("pauses the vendor at more than 256 unread KiB, and resumes at 64", async () => {
    using made = incoming();
    const kib = (count: number) => Buffer.alloc(count * 1024);
    for (let index = 0; index < 8; index++) made.body.push(kib(32));
    expect(made.flow).toEqual([]);
    made.body.push(kib(1));
    made.body.push(kib(32));
    expect(made.flow).toEqual(["pause"]);
    for (let index = 0; index < 6; index++) await made.body.read();
    expect(made.flow).toEqual(["pause"]);
    for (let index = 0; index < 2; index++) await made.body.read();
    expect(made.flow).toEqual(["pause", "resume"]);
  });

  test("resumes the connection at its end, for the next answer", () => {
    using made = incoming();
    made.body.push(Buffer.alloc(300 * 1024));
    made.body.end();
    expect(made.flow).toEqual(["pause", "resume"]);
  });

  test("can be taken whole only when all of it is there in one piece", () => {
    using made = incoming();
    made.body.push(piece("all"));
    expect(made.body.takeWhole()).toBeNull();
    made.body.end();
    expect(made.body.takeWhole()?.toString()).toBe("all");
    expect(made.body.takeWhole()).toBeNull();
  });
});
