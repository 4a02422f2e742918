import { expect, test } from "bun:test";
import { signedHeaders, signingSecret } from "./sign-webhook.ts";

test("a message is signed as the specification's published example is", () => {
  const message = {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    sent_ms: 1_614_265_330_000,
    body: '{"test": 2432232314}',
  };
  expect(signedHeaders("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", message)).toEqual({
    "webhook-id": message.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("each target has a secret of its own, the same on every node", () => {
  const [one, other] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const secrets = [signingSecret(one, "tgt_a"), signingSecret(one, "tgt_b"), signingSecret(other, "tgt_a")];
  expect(new Set(secrets).size).toBe(3);
  expect(signingSecret(one, "tgt_a")).toBe(secrets[0] ?? "");
  for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});
