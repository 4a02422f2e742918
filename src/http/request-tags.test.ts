import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readTagsHeader, requestTagsText } from "./request-tags.ts";

const read = (text: string) => Object.fromEntries(readTagsHeader(text, "invalid_request"));
const messageOf = (run: () => unknown): string => {
  try {
    run();
  } catch (thrown) {
    return String(thrown);
  }
  throw new Error("nothing was refused");
};

describe("the header", () => {
  test("has names with values, which may have equals signs and percent-encoded characters", () => {
    expect(read("team=search")).toEqual({ team: "search" });
    expect(read(" team=search ,  feature=a=b")).toEqual({ team: "search", feature: "a=b" });
    expect(read("team=R%26D%2C%20K%C3%B6ln,constructor=x")).toEqual({ team: "R&D, Köln", constructor: "x" });
  });

  test("brings every value that is allowed, encoded as programs do", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), (value) => {
        fc.pre(!/\p{Cc}/u.test(value) && value !== "(other)" && value.trim() === value);
        fc.pre([...value].length <= 100);
        expect(read(`team=${encodeURIComponent(value)}`)).toEqual({ team: value });
      }),
    );
  });

  test.each([
    ["", 'has ""; allowed: NAME=VALUE'],
    ["team", 'has "team"; allowed: NAME=VALUE'],
    ["team=a,,b=c", 'has ""; allowed: NAME=VALUE'],
    ["Team=a", 'has "Team=a", but the name of a tag has 1 to 40 characters'],
    ["team=", 'has "team=", but the value of a tag is a text of 1 to 100'],
    [`team=${"x".repeat(101)}`, "but the value of a tag is a text of 1 to 100"],
    ["team=a%0Ab", "without control characters"],
    ["team=100%", "percent-encoded UTF-8"],
    ["team=Köln", "percent-encoded UTF-8"],
    ["team=a,team=b", "has the tag 'team' twice"],
    ["team=(other)", "(other) stands for values that are not counted apart"],
  ])("%p is refused with what is allowed", (text, words) => {
    const message = messageOf(() => read(text));
    expect(message).toContain("x-camino-tags");
    expect(message).toContain(words);
  });
});

describe("header and metadata together", () => {
  const text = (header: string | null, metadata: Record<string, unknown> | null) =>
    requestTagsText(header === null ? null : readTagsHeader(header, "invalid_request"), metadata, "invalid_request");

  test("are the request's tags, of which the header's go first", () => {
    expect(text(null, null)).toBeNull();
    expect(JSON.parse(text("team=a", { "camino.team": "b", "camino.run": "7" }) ?? "")).toEqual({
      team: "a",
      run: "7",
    });
    expect(JSON.parse(text(null, { "camino.team": "b" }) ?? "")).toEqual({ team: "b" });
  });

  test("are at most sixteen, and each is a text with a name that is allowed", () => {
    const sixteen = Array.from({ length: 16 }, (_, at) => `t${at}=x`).join(",");
    expect(Object.keys(JSON.parse(text(sixteen, null) ?? ""))).toHaveLength(16);
    expect(messageOf(() => text(sixteen, { "camino.more": "x" }))).toContain(
      "17 tags, with 'more'; allowed: at most 16",
    );
    expect(messageOf(() => text(null, { "camino.team": 7 }))).toContain('"camino.team": 7; allowed: a text');
    expect(messageOf(() => text(null, { "camino.Team": "x" }))).toContain("behind 'camino.' the name of a tag");
  });
});
