import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { normalizeDataLines } from "./data-lines.ts";
import { dataText } from "./sse-frames.ts";

describe("a data line has exactly one space behind its colon", () => {
  test.each([
    ["data:{}\n\n", "data: {}\n\n"],
    ["data:  {}\n\n", "data: {}\n\n"],
    ["data:\t{}\n\n", "data: {}\n\n"],
    ["data: \t {}\n\n", "data: {}\n\n"],
    ["event: a\ndata:{}\n\n", "event: a\ndata: {}\n\n"],
    ["event: a\r\ndata:{}\r\n\r\n", "event: a\r\ndata: {}\r\n\r\n"],
    ["event: a\rdata:  {}\r\r", "event: a\rdata: {}\r\r"],
    ['event: a\ndata:{"b":\ndata: 1,\ndata:  "data:":2}\n\n', 'event: a\ndata: {"b":\ndata: 1,\ndata: "data:":2}\n\n'],
    ["data:{}\nevent: a\nid:7\n\n", "data: {}\nid:7\n\n"],
    ["event: a\ndata:\n\n", "event: a\ndata: \n\n"],
    // A CR between is a line end too.
    ["data: 1\rdata:2\n\n", "data: 1\rdata: 2\n\n"],
    // Comments are left out, whatever their lines end in.
    ["event: a\n: hi\ndata: {}\n\n", "event: a\ndata: {}\n\n"],
    [": hi\ndata: {}\n\n", "data: {}\n\n"],
    ["event: a\r\n: hi\r\n:\r\ndata:{}\r\n\r\n", "event: a\r\ndata: {}\r\n\r\n"],
    ["event: a\rdata: {}\r:\r\r", "event: a\rdata: {}\r\r"],
    ["event: a\rdata: {}\r:\n\n", "event: a\rdata: {}\r\n\n"],
    // Names behind the first line as well.
    ["event: a\nevent\nevent: b\ndata: {}\n\n", "event: a\ndata: {}\n\n"],
    ["event: a\r\nevents: b\r\nevent:\r\ndata: {}\r\n\r\n", "event: a\r\nevents: b\r\ndata: {}\r\n\r\n"],
  ])("%j", (sent, got) => {
    expect(normalizeDataLines(Buffer.from(sent)).toString()).toBe(got);
  });

  test.each([
    'data: {"a":"data:b"}\n\n',
    "event: a\ndata: {}\n\n",
    "event: a\r\ndata: {}\r\n\r\n",
    "event: a\nid: 1\ndata: 1\ndata: 2\n\n",
    "event: data:x\n\n",
    "database:1\n\n",
  ])("and a frame that is right is not copied: %j", (sent) => {
    const frame = Buffer.from(sent);
    expect(normalizeDataLines(frame)).toBe(frame);
  });

  test("in frames of every form, whose meaning stays", () => {
    const line_end = fc.constantFrom("\n", "\r\n", "\r");
    const value = fc.constantFrom("{}", '{"data:":1}', "1", "[DONE]", "x data: y");
    const line = fc.oneof(
      fc.tuple(fc.stringMatching(/^[ \t]{0,3}$/), value).map(([blanks, data]) => `data:${blanks}${data}`),
      fc.constantFrom("event: a", "event:a", ": data:c", "id:1", "retry: 5"),
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), line_end, (lines, end) => {
        const sent = Buffer.from(`${lines.join(end)}${end}${end}`);
        const got = normalizeDataLines(sent);
        for (const shown of got.toString().split(/[\r\n]+/))
          if (shown.startsWith("data:")) expect(shown).toMatch(/^data: [^ \t]/);
          else expect(shown).not.toStartWith(":");
        expect(got.toString().slice(1)).not.toContain("event:");
        const trimmed = (frame: Buffer) => dataText(frame)?.replaceAll(/^[ \t]+/gm, "") ?? null;
        expect(dataText(got)).toBe(trimmed(sent));
        expect(normalizeDataLines(got)).toBe(got);
      }),
    );
  });
});
