/** What all spellings of one e-mail have in common. Users, accounts and links are found by it, and no two users share one. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

export function isSameEmail(one: string, other: string): boolean {
  return emailKey(one) === emailKey(other);
}

/** The words for an e-mail that a user has already. */
export function emailTaken(email: string): string {
  return `There is a user with the e-mail ${email} already.`;
}
