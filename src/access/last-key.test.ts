import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PresentedKey } from "./authenticator.ts";
import { type ConnectionSlot, readPresentedKey } from "./last-key.ts";
import { type CredentialPolicy, readCredential } from "./read-credential.ts";

const headers = (fields: Readonly<Record<string, string | undefined>>) => ({
  get: (name: string) => fields[name] ?? null,
});

describe("the key of a connection's requests", () => {
  test("is read and digested once while its headers repeat", () => {
    const slot: ConnectionSlot = { remembered: null };
    const sent = headers({ authorization: "Bearer one" });
    const first = readPresentedKey(sent, "bearer", slot);
    expect(readPresentedKey(headers({ authorization: "Bearer one" }), "bearer", slot)).toBe(first);
    expect(first).toEqual(new PresentedKey("one"));
  });

  test("is never that of the request before where a header or the endpoint's policy differs", () => {
    const values = fc.constantFrom(undefined, "Bearer one", "bearer one", "Bearer two", "one", "two", " ", "Basic one");
    const request = fc.record({
      authorization: values,
      "x-api-key": values,
      policy: fc.constantFrom<CredentialPolicy>("bearer", "either"),
    });
    fc.assert(
      fc.property(fc.array(request, { minLength: 2, maxLength: 8 }), (requests) => {
        const slot: ConnectionSlot = { remembered: null };
        for (const { policy, ...fields } of requests) {
          const sent = headers(fields);
          expect(outcome(() => readPresentedKey(sent, policy, slot).credential)).toEqual(
            outcome(() => readCredential(sent, policy)),
          );
        }
      }),
      { numRuns: 500 },
    );
  });

  test("is not kept with headers that are longer than any key", () => {
    const slot: ConnectionSlot = { remembered: null };
    readPresentedKey(headers({ authorization: `Bearer ${"x".repeat(10_000)}` }), "bearer", slot);
    expect(slot.remembered).toBeNull();
  });

  test("is read again where another route has remembered something else", () => {
    const slot: ConnectionSlot = { remembered: { presented: "a key" } };
    expect(readPresentedKey(headers({ authorization: "Bearer one" }), "bearer", slot).credential).toBe("one");
  });
});

function outcome(read: () => string): unknown {
  try {
    return read();
  } catch (thrown) {
    return String(thrown);
  }
}
