/** OWASP's first choice for argon2id: 19 MiB, two passes. It takes some 30 ms, off the serving thread. */
const ARGON2 = { algorithm: "argon2id", memoryCost: 19 * 1024, timeCost: 2 } as const;

export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(normal(password), ARGON2);
}

let decoy: Promise<string> | null = null;

/**
 * Whether a password matches a hash. Without a hash it takes as long and returns false, so that the time of an answer
 * does not disclose whether a user exists.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  // Awaited in both cases, as the first hash takes longer.
  decoy ??= hashPassword("a password that nobody has");
  const wrong = await decoy;
  const matches = await Bun.password.verify(normal(password), hash ?? wrong);
  return matches && hash !== null;
}

/** A password in its normal form: equal characters from different keyboards are equal (NIST SP 800-63B, 3.1.1.2). */
function normal(password: string): string {
  return password.normalize("NFKC");
}
