/** OWASP's first choice for argon2id: 19 MiB, two passes. Some 30 ms, on a thread of its own. */
const ARGON2 = { algorithm: "argon2id", memoryCost: 19 * 1024, timeCost: 2 } as const;

export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(normal(password), ARGON2);
}

let decoy: Promise<string> | null = null;

/**
 * Whether a password is the one that was hashed. Where there is nobody to compare with, it takes the same time and is
 * wrong: how long an answer takes says nothing about who is a user here.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  // Awaited also where it is not needed: the first one takes longer.
  decoy ??= hashPassword("a password that nobody has");
  const wrong = await decoy;
  const matches = await Bun.password.verify(normal(password), hash ?? wrong);
  return matches && hash !== null;
}

/** The same characters, typed on different keyboards, are the same password (NIST SP 800-63B, 3.1.1.2). */
function normal(password: string): string {
  return password.normalize("NFKC");
}
