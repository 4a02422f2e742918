import { expect, test } from "bun:test";
import { hashPassword, verifyPassword } from "./passwords.ts";

test("a password is hashed with argon2id as OWASP advises, and matches only itself", async () => {
  const hash = await hashPassword("correct horse battery");
  expect(hash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(await verifyPassword("correct horse battery", hash)).toBe(true);
  expect(await verifyPassword("correct horse batterx", hash)).toBe(false);
  expect(await hashPassword("correct horse battery")).not.toBe(hash);
});

test("every password is wrong for an unknown user, the decoy's own too", async () => {
  for (const password of ["anything", "", "a password that nobody has"])
    expect(await verifyPassword(password, null)).toBe(false);
});

test("equal characters are the same password, however a keyboard composes them", async () => {
  const hash = await hashPassword("caf\u00e9 au lait");
  expect(await verifyPassword("cafe\u0301 au lait", hash)).toBe(true);
});
