import { expect, test } from "bun:test";
import fc from "fast-check";
import { CODE_POINT } from "../../../proofs/support/code-point.ts";
import type { Opaque } from "../../core/answer/generation.ts";
import { packOpaque, unpackOpaque } from "./opaque.ts";

const opaques: fc.Arbitrary<Opaque> = fc.record(
  {
    family: fc.constantFrom("openai", "anthropic", "google", "bedrock"),
    form: fc.constantFrom("signature", "encrypted", "redacted"),
    data: fc.string({ unit: CODE_POINT }),
    id: fc.string({ minLength: 1 }),
  },
  { requiredKeys: ["family", "form", "data"] },
);

test("an opaque value comes back byte for byte, with its family and id", () => {
  fc.assert(fc.property(opaques, (opaque) => expect(unpackOpaque(packOpaque(opaque))).toEqual(opaque)));
});

test("a string that the gateway did not pack has no issuer", () => {
  for (const text of ["", "EqQBCgIYAhIM", "camino:", "camino::signature::x", "camino:openai:poem::x"])
    expect(unpackOpaque(text)).toBeNull();
});

test("a value that a client has damaged is still read, not an error", () => {
  expect(unpackOpaque("camino:openai:encrypted:%E0%A4%A:abc")).toEqual({
    family: "openai",
    form: "encrypted",
    id: "%E0%A4%A",
    data: "abc",
  });
});
