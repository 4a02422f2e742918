import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formParts } from "./form-parts.ts";

const TYPE = "multipart/form-data; boundary=b0";
const part = (head: string, data = "x") => `--b0\r\n${head}\r\n\r\n${data}\r\n`;
const A = part('Content-Disposition: form-data; name="a"');
const END = "--b0--\r\n";

function told(body: string, type = TYPE): unknown {
  try {
    return formParts(Buffer.from(body), type).map(({ name, content_type, data }) => [name, content_type, `${data}`]);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : thrown;
  }
}

test("parts of any bytes are read unchanged", () => {
  const names = fc.string({ unit: fc.constantFrom(..."abc-_.0"), minLength: 1 });
  fc.assert(
    fc.property(fc.array(fc.tuple(names, fc.uint8Array({ maxLength: 300 })), { maxLength: 6 }), (parts) => {
      const written = parts.flatMap(([name, data]) => [
        Buffer.from(`--b0\r\ncontent-disposition: form-data; name="${name}"; filename="f"\r\n\r\n`),
        Buffer.from(data),
        Buffer.from("\r\n"),
      ]);
      const read = formParts(Buffer.concat([...written, Buffer.from(END)]), TYPE);
      expect(read.map(({ name, data }) => [name, [...data]])).toEqual(parts.map(([name, data]) => [name, [...data]]));
    }),
  );
});

test.each([
  ["no parts", END, []],
  ["no line break at its end", `${A}--b0--`, [["a", null, "x"]]],
  [
    "headers in any order and case",
    part("CONTENT-TYPE: Image/PNG; x=y\r\ncontent-Disposition: form-data;name=a") + END,
    [["a", "image/png", "x"]],
  ],
  [
    "the boundary inside a line",
    part('Content-Disposition: form-data; name="a"', "1--b0--2") + END,
    [["a", null, "1--b0--2"]],
  ],
  ["an empty part", part('Content-Disposition: form-data; name="a"', "") + END, [["a", null, ""]]],
])("a form with %s is read", (_, body, parts) => {
  expect(told(body)).toEqual(parts);
});

test("a boundary may be quoted", () => {
  expect(told(`${A.replaceAll("b0", "b 0")}--b 0--`, 'multipart/form-data; charset=utf-8; boundary="b 0"')).toEqual([
    ["a", null, "x"],
  ]);
});

describe("a form whose parts cannot be separated is refused", () => {
  test.each([
    ["no boundary", A + END, "multipart/form-data", "names no boundary"],
    ["an empty boundary", A + END, "multipart/form-data; boundary=", "names no boundary"],
    ["a long boundary", A + END, `multipart/form-data; boundary=${"b".repeat(71)}`, "names no boundary"],
    ["another boundary", A + END, "multipart/form-data; boundary=b1", "does not begin with its boundary"],
    ["something before the boundary", `x\r\n${A}${END}`, TYPE, "does not begin with its boundary"],
    ["no end", A, TYPE, "its last part has no end"],
    ["an end that was cut", `${A}--b0-`, TYPE, "something follows a boundary"],
    ["something after the end", `${A}${END}x`, TYPE, "something follows its end"],
    ["a boundary with more characters", `--b0x\r\n\r\n${END}`, TYPE, "something follows a boundary"],
    ["a part without a head", `--b0\r\nx\r\n${END}`, TYPE, "part 0 has no head"],
    ["a part without a name", part("content-type: text/plain") + END, TYPE, "part 0 has no name"],
    ["an attachment", part('content-disposition: attachment; name="a"') + END, TYPE, "part 0 has no name"],
    ["too many parts", A.repeat(257) + END, TYPE, "more than 256 parts"],
    ["an empty body", "", TYPE, "does not begin with its boundary"],
  ])("%s", (_, body, type, why) => {
    expect(told(body, type)).toContain(why);
  });

  test("a form that is cut at any place", () => {
    const body = A + A + END;
    for (let length = 0; length < body.length - 2; length += 1)
      expect(told(body.slice(0, length))).toContain("cannot be read as multipart/form-data");
  });
});
