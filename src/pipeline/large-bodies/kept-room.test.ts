import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GatewayError } from "../../core/errors.ts";
import { type KeptClaim, KeptRoom, NoKeptRoom } from "./kept-room.ts";

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
}

describe("the room of large bodies", () => {
  test("gives one account at most half, and the rest to others", () => {
    const room = new KeptRoom(1000, 10);
    const first = room.claim("a", 300);
    expect(thrownBy(() => room.claim("a", 201))).toBeInstanceOf(NoKeptRoom);
    const second = room.claim("a", 200);
    room.claim("b", 500);
    expect(thrownBy(() => room.claim("c", 1))).toBeInstanceOf(NoKeptRoom);
    for (const claim of [first, second, second]) claim.end();
    expect(room.used_bytes).toBe(500);
    room.claim("a", 500);
  });

  test("says what a body may weigh, and refuses for good what never fits", () => {
    const room = new KeptRoom(1000, 10);
    const other = room.claim("b", 450);
    const claim = room.claim("a", 100);
    expect(claim.room_bytes).toBe(500);
    room.claim("c", 250);
    expect(claim.room_bytes).toBe(300);
    other.end();
    expect(claim.room_bytes).toBe(500);
    expect(room.refusal(500)).toMatchObject({ code: "model_unavailable", retry_after_ms: 1000 });
    const refused = room.refusal(501);
    expect(refused).toBeInstanceOf(GatewayError);
    expect(refused).toMatchObject({ code: "request_too_large", row: { status: 413 } });
  });

  test("has room for one of the largest bodies of an account, however little memory there is", () => {
    const room = new KeptRoom(10, 100);
    room.claim("a", 300);
    expect(thrownBy(() => room.claim("b", 300))).toBeInstanceOf(NoKeptRoom);
  });

  test("is empty when all claims have ended, whatever they weighed meanwhile", () => {
    const step = fc.record({ account: fc.constantFrom("a", "b", "c"), takes: fc.nat(400), weighs: fc.nat(400) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const room = new KeptRoom(1000, 10);
        const claims: KeptClaim[] = [];
        for (const { account, takes, weighs } of steps) {
          const claim = thrownBy(() => room.claim(account, takes));
          if (claim instanceof NoKeptRoom) continue;
          claims.push(claim as KeptClaim);
          (claim as KeptClaim).weighs(Math.min(weighs, (claim as KeptClaim).room_bytes));
          expect(room.used_bytes).toBeLessThanOrEqual(1000);
        }
        for (const claim of claims) claim.end();
        for (const claim of claims) claim.weighs(5);
        expect([room.used_bytes, room.leftFor("a")]).toEqual([0, 500]);
      }),
    );
  });
});
