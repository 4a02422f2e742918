import { expect, test } from "bun:test";
import { runs } from "../../support/runs.ts";
import { STRICT_VENDORS } from "../../support/strict-vendors.ts";
import { type Asked, askEach } from "./strict-targets.ts";
import { STYLES } from "./ways.ts";

/**
 * The law: what a program of any style asks is taken by each vendor whose rules the simulator has, on relay as in
 * translation (docs/rulings.md 191, 196, 197), and the gateway refuses none of it.
 */

const CASES = runs(60);

test(`${CASES} requests of each style, to each strict vendor`, () => {
  const asked: Asked = { taken: 0, refused: new Map() };
  const broken: string[] = [];
  for (let seed = 0; seed < CASES; seed += 1) {
    try {
      askEach(seed, asked);
    } catch (thrown) {
      broken.push(String(thrown).slice(0, 400));
    }
  }
  expect(broken).toEqual([]);
  expect([...asked.refused]).toEqual([]);
  expect(asked.taken).toBe(CASES * STYLES.length * STRICT_VENDORS.length);
}, 120_000);
