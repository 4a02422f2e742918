import { expect, test } from "bun:test";
import { refuseLastWay } from "./last-way-to-sign-in.ts";

const CASES: readonly [has_password: boolean, passkeys: number, identities: string[], refuses: boolean][] = [
  [false, 1, [], true],
  [false, 0, ["corp"], true],
  [true, 1, [], false],
  [false, 2, [], false],
  [false, 1, ["corp"], false],
  [false, 0, ["corp", "home"], false],
];

test.each(CASES)(
  "password %p, %i passkeys, identities %p: taking one away is refused: %p",
  (has_password, passkeys, identities, refuses) => {
    expect(refuseLastWay({ has_password, passkeys, identities }, "it") !== null).toBe(refuses);
  },
);
