import { describe, expect, test } from "bun:test";
import type { ClientRequest } from "../../core/answer/exchange.ts";
import { KeptRoom } from "../large-bodies/kept-room.ts";
import { readForm } from "./read-request.ts";

const MEBIBYTE = 2 ** 20;
const REQUEST: ClientRequest = {
  ...{ protocol: "transcriptions", model: "m", stream: false, output_cap: null, choices: 1 },
  ...{ input_bound_tokens: 0, text: "", body: {} },
};

/** As many requests with forms of 20 MiB each, by the accounts in turn: those that were read, and the codes of the refusals. */
async function readAll(room: KeptRoom, count: number, accounts: number) {
  const form = { parts: [], bytes: 20 * MEBIBYTE };
  const settled = await Promise.allSettled(
    Array.from({ length: count }, (_, at) => readForm(room, `account-${at % accounts}`, form, () => REQUEST)),
  );
  return {
    read: settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : [])),
    codes: settled.flatMap((each) => (each.status === "rejected" ? [Object(each.reason).code] : [])),
  };
}

describe("forms in memory", () => {
  test("of a hundred requests of 20 MiB are as many as the room for large bodies takes, half of it for an account", async () => {
    const room = new KeptRoom(400 * MEBIBYTE, 26 * MEBIBYTE);
    const of_four = await readAll(room, 100, 4);
    expect([of_four.read.length, room.used_bytes]).toEqual([20, 400 * MEBIBYTE]);
    expect(new Set(of_four.codes)).toEqual(new Set(["model_unavailable"]));
    for (const { kept } of of_four.read) kept?.release();
    expect(room.used_bytes).toBe(0);
    expect((await readAll(room, 100, 1)).read).toHaveLength(10);
  });

  test("that cannot be read take no room", async () => {
    const room = new KeptRoom(400 * MEBIBYTE, 26 * MEBIBYTE);
    const unreadable = () => {
      throw new Error("unreadable");
    };
    const reading = readForm(room, "account-1", { parts: [], bytes: MEBIBYTE }, unreadable);
    expect(
      await reading.then(
        () => "read",
        (thrown: unknown) => String(thrown),
      ),
    ).toBe("Error: unreadable");
    expect(room.used_bytes).toBe(0);
  });
});
