import { expect, test } from "bun:test";
import fc from "fast-check";
import { AnswerSheet } from "./answer-sheet.ts";

const headers = fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom("1", "2", "3")), {
  maxLength: 6,
});

test("an answer has what was written for it, the last value of each name, and nothing of those before", () => {
  fc.assert(
    fc.property(fc.array(headers, { maxLength: 8 }), (answers) => {
      const sheet = new AnswerSheet();
      for (const written of answers) {
        sheet.begin();
        for (const [name, value] of written) sheet.set(name, value);
        expect([...sheet.headers]).toEqual(Object.entries(Object.fromEntries(written)).toSorted());
      }
    }),
  );
});

test("a response keeps its headers when the next answer is written", () => {
  const sheet = new AnswerSheet();
  const answer = (id: string) => {
    sheet.begin();
    sheet.set("x-request-id", id);
    return new Response(null, { headers: sheet.headers });
  };
  const [first, second] = [answer("req_1"), answer("req_2")];
  expect([first.headers.get("x-request-id"), second.headers.get("x-request-id")]).toEqual(["req_1", "req_2"]);
});

test("a value that is none of HTTP's leaves nothing behind", () => {
  const sheet = new AnswerSheet();
  sheet.begin();
  sheet.set("a", "1");
  expect(sheet.headers.get("a")).toBe("1");
  sheet.begin();
  for (const name of ["a", "b"]) expect(() => sheet.set(name, "x\ny")).toThrow();
  expect([...sheet.headers]).toEqual([]);
});
