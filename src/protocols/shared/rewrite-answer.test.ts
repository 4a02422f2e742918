import { describe, expect, test } from "bun:test";
import { bytesOf } from "../../core/answer/sent-body.ts";
import { bodyWriter } from "./rewrite-answer.ts";
import type { UsageEdit } from "./vendor-costs.ts";

function rewritten(bytes: Buffer, usage?: UsageEdit, cost?: string): string | null {
  const text = bytes.toString();
  const write = bodyWriter({ sent: bytes, text, answer: JSON.parse(text) }, "acme/swift");
  return write === null ? null : bytesOf(write(usage, cost)).toString("latin1");
}

describe("a whole answer", () => {
  const rows: readonly [string, string, string][] = [
    [
      "keeps everything but its model",
      '{ "id":"x" , "model":"swift-1","n":1.0 }',
      '{ "id":"x" , "model":"acme/swift","n":1.0 }',
    ],
    ["gets its model where the vendor sent null", '{"model":null}', '{"model":"acme/swift"}'],
    ["that names no model stays as it is", '{"choices":[{"model":"x"}]}', '{"choices":[{"model":"x"}]}'],
  ];
  test.each(rows)("%s", (_name, sent, shown) => {
    expect(rewritten(Buffer.from(sent))).toBe(shown);
  });

  test("keeps bytes that are not valid UTF-8", () => {
    const sent = Buffer.concat([Buffer.from('{"model":"swift-1","x":"'), Buffer.of(0xff, 0xc3), Buffer.from('"}')]);
    expect(rewritten(sent)).toBe('{"model":"acme/swift","x":"\xff\xc3"}');
  });

  test("changes other members beside its model", () => {
    expect(rewritten(Buffer.from('{"usage":{},"model":"a"}'), { total: 1 })).toBe(
      '{"usage":{"total":1},"model":"acme/swift"}',
    );
  });

  test("shows a cost behind what its usage says, to the byte, also beside bytes that are no UTF-8", () => {
    const [before, behind] = [Buffer.from('{"x":"'), Buffer.from('","usage":{"a": 1.0 }, "model":"m"}')];
    for (const odd of [Buffer.from("ok"), Buffer.of(0xff, 0xc3)]) {
      const shown = `{"x":"${odd.toString("latin1")}","usage":{"a": 1.0,"cost":"5"}, "model":"acme/swift"}`;
      expect(rewritten(Buffer.concat([before, odd, behind]), undefined, "5")).toBe(shown);
    }
  });

  test("with a repeated member counts as no answer, because either value might count", () => {
    expect(rewritten(Buffer.from('{"model":"a","model":"b"}'))).toBeNull();
  });
});
