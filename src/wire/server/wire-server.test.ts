import { expect, test } from "bun:test";
import { connect } from "node:net";
import { BodyRoom } from "./body-room.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { WireServer } from "./wire-server.ts";

/** Errors of the gateway itself on a connection. `proofs/suites/http-wire` tests everything that clients can cause. */

const PATIENT = {
  head_ms: 60_000,
  stall_ms: 60_000,
  total_ms: 60_000,
  idle_ms: 60_000,
  unread_ms: 60_000,
  beat_ms: 60_000,
};
const REQUEST = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";

/** An error with a code, like those that the runtime's own functions throw. */
const mistake = (): Error => Object.assign(new RangeError("a mistake"), { code: "ERR_OUT_OF_RANGE" });

test.each([
  [
    "handling a request",
    () => {
      throw mistake();
    },
  ],
  [
    "streaming an answer",
    (request: IncomingRequest) => {
      const pull = () => {
        throw mistake();
      };
      request.answer({ status: 200, headers: "", body: { pull, abort: () => {} } });
    },
  ],
  [
    "continuing a stream that the client was slow to take",
    (request: IncomingRequest) => {
      let pulls = 0;
      const pull = () => {
        pulls += 1;
        if (pulls > 1) throw mistake();
        request.take(Buffer.alloc(50_000_000));
      };
      request.answer({ status: 200, headers: "", body: { pull, abort: () => {} } });
    },
  ],
])("a mistake of ours in %s is told, and ends the connection", async (_name, handle) => {
  const told: unknown[] = [];
  const refuse = () => ({ status: 400, headers: "", body: "" });
  const failed = (thrown: unknown) => void told.push(thrown);
  const server = new WireServer(
    { handle, refuse, failed, most_body_bytes: 1000, bodies: new BodyRoom("all", 1000) },
    PATIENT,
    {
      hostname: "127.0.0.1",
      port: 0,
    },
  );
  try {
    const client = connect(server.port, "127.0.0.1", () => client.write(REQUEST));
    client.on("error", () => {}).resume();
    await new Promise((resolve) => client.on("close", resolve));
    expect(told).toEqual([mistake()]);
  } finally {
    server.cut();
  }
});
