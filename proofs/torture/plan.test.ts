import { describe, expect, test } from "bun:test";
import { Draw } from "./draw.ts";
import type { Facts } from "./harms.ts";
import { planCall } from "./plan-call.ts";
import { planRound } from "./plan-round.ts";

const SQLITE: Facts = { database: "sqlite", nodes: 1, clock: true, small_disk: true, only: null };
const POSTGRES: Facts = { database: "postgres", nodes: 2, clock: true, small_disk: true, only: null };
const CELLS: Facts = { ...POSTGRES, database: "cells" };
const seeds = Array.from({ length: 400 }, (_, seed) => seed);

const kindsOf = (facts: Facts): Set<string> =>
  new Set(seeds.flatMap((seed) => planRound(seed, facts).harms.map(({ kind }) => kind)));

describe("a round's plan", () => {
  test("follows from its seed", () => {
    for (const facts of [SQLITE, POSTGRES])
      for (const seed of seeds) expect(planRound(seed, facts)).toEqual(planRound(seed, facts));
    expect(planRound(1, SQLITE)).not.toEqual(planRound(2, SQLITE));
  });

  test("has at least one harm, on a node that exists, and load until after the last", () => {
    for (const facts of [SQLITE, POSTGRES]) {
      for (const seed of seeds) {
        const { harms, load_ms } = planRound(seed, facts);
        expect(harms.length).toBeGreaterThan(0);
        for (const { node, at_ms, for_ms } of harms) {
          expect(node).toBeLessThan(facts.nodes);
          expect(at_ms + for_ms).toBeLessThan(load_ms);
        }
      }
    }
  });

  test("has harms of the database's own kind only, and all of them sooner or later", () => {
    const embedded = kindsOf(SQLITE);
    const shared = kindsOf(POSTGRES);
    expect([embedded.has("locked database"), embedded.has("lost commit")]).toEqual([true, false]);
    expect([shared.has("locked database"), shared.has("lost commit")]).toEqual([false, true]);
    expect([embedded.size, shared.size]).toEqual([8, 15]);
    expect(kindsOf(CELLS)).toEqual(new Set([...shared, "cell away", "move"]));
  });

  test("has only the harms that are asked for", () => {
    expect(kindsOf({ ...POSTGRES, only: ["kill", "long outage"] })).toEqual(new Set(["kill", "long outage"]));
  });

  test("moves no clock and fills no disk where that is impossible", () => {
    const kinds = kindsOf({ ...POSTGRES, clock: false, small_disk: false });
    expect([...kinds].filter((kind) => /clock|disk/.test(kind))).toEqual([]);
  });
});

describe("a call's plan", () => {
  test("follows from the draws before it", () => {
    const plans = (seed: number) => {
      const draw = new Draw(seed);
      return seeds.map(() => planCall(draw, 2, false));
    };
    expect(plans(7)).toEqual(plans(7));
    expect(plans(7)).not.toEqual(plans(8));
  });

  test("streams no decision", () => {
    const draw = new Draw(1);
    const decisions = seeds.map(() => planCall(draw, 1, false)).filter(({ model }) => model.decides);
    expect(decisions.length).toBeGreaterThan(0);
    expect(decisions.filter(({ stream }) => stream)).toEqual([]);
  });
});
