import { describe, expect, test } from "bun:test";
import { parseModelName } from "./model-name.ts";

describe("a model's name", () => {
  test("is a name and, after @, parameters", () => {
    const { full, name, params } = parseModelName("long@tokens=64&key=a%20b");
    expect({ full, name }).toEqual({ full: "long@tokens=64&key=a%20b", name: "long" });
    expect(params.count("tokens", 1)).toBe(64);
    expect(params.text("key", "")).toBe("a b");
  });

  test("may be without parameters, and may have sim/ before it", () => {
    expect(parseModelName("echo").params.empty).toBe(true);
    expect(parseModelName("sim/echo@ms=1")).toMatchObject({ name: "echo", full: "sim/echo@ms=1" });
  });

  test("gives the fallback for a parameter that is absent or no whole number", () => {
    const { params } = parseModelName("slow@ms=fast&n=-1&x=1.5");
    for (const key of ["ms", "n", "x", "absent"]) expect(params.count(key, 7)).toBe(7);
    expect(params.has("ms")).toBe(true);
    expect(params.has("absent")).toBe(false);
  });
});
