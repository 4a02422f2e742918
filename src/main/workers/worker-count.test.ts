import { describe, expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { workerCount } from "./worker-count.ts";

describe("the number of workers", () => {
  test("is one unless somebody says otherwise; the flag comes before the environment", () => {
    expect(workerCount({}, {})).toBe(1);
    expect(workerCount({}, { CAMINO_WORKERS: "3" }, "linux")).toBe(3);
    expect(workerCount({ workers: "2" }, { CAMINO_WORKERS: "3" }, "linux")).toBe(2);
    expect(workerCount({ workers: "64" }, {}, "linux")).toBe(64);
  });

  test("is that of the cores with auto, where the system shares ports, else one", () => {
    expect(workerCount({ workers: "auto" }, {}, "linux")).toBe(Math.min(64, availableParallelism()));
    expect(workerCount({ workers: "auto" }, {}, "darwin")).toBe(1);
  });

  test.each(["0", "-1", "1.5", "65", "100000", "two", "", "AUTO", "0x2", "1e1"])("cannot be %j", (said) => {
    expect(() => workerCount({ workers: said }, {}, "linux")).toThrow(/--workers is .*allowed: .*1 to 64, or auto/);
    expect(() => workerCount({}, { CAMINO_WORKERS: said }, "linux")).toThrow(/CAMINO_WORKERS is .*allowed/);
  });

  test("is one on systems that do not share ports, said in words", () => {
    expect(workerCount({ workers: "1" }, {}, "darwin")).toBe(1);
    expect(() => workerCount({ workers: "2" }, {}, "darwin")).toThrow(/only Linux .*allowed here: 1/);
  });
});
