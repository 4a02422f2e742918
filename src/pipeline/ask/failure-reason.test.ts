import { expect, test } from "bun:test";
import fc from "fast-check";
import { CODE_POINT } from "../../../proofs/support/code-point.ts";
import { UpstreamError } from "../../wire/client/upstream-error.ts";
import { reasonOfAnswer, reasonOfTransport, reasonOfVendor } from "./failure-reason.ts";

const failure = (status: number, message: string) => ({ status, message, retry_after_ms: null });

test("sentences by which a vendor speaks of the gateway's account are private, others are not", () => {
  const private_statuses = [400, 401, 403, 404, 413, 422, 429, 500, 503, 529].filter(
    (status) => reasonOfVendor(failure(status, "No.")).is_private,
  );
  expect(private_statuses).toEqual([401, 403, 404]);
});

test("the transport's sentence is private, and shows no credential in an address", () => {
  const reason = reasonOfTransport(new UpstreamError("broken", "GET https://user:secret@vendor.example/v1 failed"));
  expect(reason).toEqual({ text: "GET [removed] failed", is_private: true });
});

test("every sentence is short, and valid text", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: CODE_POINT, maxLength: 900 }),
        fc.string({ unit: "grapheme", minLength: 390, maxLength: 420 }),
      ),
      (text) => {
        for (const reason of [reasonOfVendor(failure(500, text)), reasonOfAnswer(text)]) {
          expect(reason.text.length).toBeLessThanOrEqual(400);
          expect(reason.text.isWellFormed()).toBe(true);
        }
      },
    ),
  );
});
