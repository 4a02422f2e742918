import { describe, expect, test } from "bun:test";
import { decryptCredential, encryptCredential } from "./encrypt-credential.ts";
import { deriveSubKeys } from "./sub-keys.ts";

const { vendor_credential: key } = deriveSubKeys("a root secret for tests");
const SECRET = "sk-live-Ünïcode-credential";

describe("a sealed vendor credential", () => {
  test("opens with its key for its vendor, and discloses nothing of the text", () => {
    const sealed = encryptCredential(key, "acme", SECRET);
    expect(decryptCredential(key, "acme", sealed)).toBe(SECRET);
    expect(Buffer.from(sealed.ciphertext, "base64").toString("latin1")).not.toContain("sk-live");
  });

  test("differs each time, with a nonce of its own", () => {
    const [a, b] = [encryptCredential(key, "acme", SECRET), encryptCredential(key, "acme", SECRET)];
    expect(a.nonce).not.toBe(b.nonce);
    expect(a.ciphertext).not.toBe(b.ciphertext);
  });

  const flipped = (text: string, index: number): string => {
    const bytes = Buffer.from(text, "base64");
    bytes[index] = (bytes[index] ?? 0) ^ 1;
    return bytes.toString("base64");
  };
  const cases: [what: string, open: (sealed: ReturnType<typeof encryptCredential>) => string | null][] = [
    ["for another vendor", (sealed) => decryptCredential(key, "other", sealed)],
    [
      "with the key of another secret",
      (sealed) => decryptCredential(deriveSubKeys("a changed root secret").vendor_credential, "acme", sealed),
    ],
    ["with another key version", (sealed) => decryptCredential(key, "acme", { ...sealed, key_version: 2 })],
    [
      "when its text was changed",
      (sealed) => decryptCredential(key, "acme", { ...sealed, ciphertext: flipped(sealed.ciphertext, 0) }),
    ],
    [
      "when its tag was changed",
      (sealed) =>
        decryptCredential(key, "acme", { ...sealed, ciphertext: flipped(sealed.ciphertext, SECRET.length + 6) }),
    ],
    [
      "when its nonce was changed",
      (sealed) => decryptCredential(key, "acme", { ...sealed, nonce: flipped(sealed.nonce, 3) }),
    ],
    ["when it was cut short", (sealed) => decryptCredential(key, "acme", { ...sealed, ciphertext: "AAAA" })],
    ["without a nonce", (sealed) => decryptCredential(key, "acme", { ...sealed, nonce: "" })],
  ];
  for (const [what, open] of cases) {
    test(`does not open ${what}`, () => expect(open(encryptCredential(key, "acme", SECRET))).toBeNull());
  }
});
