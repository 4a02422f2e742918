/** A shorter token could be guessed by trying. */
export const MIN_TOKEN_LENGTH = 16;

/** Why an operator's token is too weak, as the end of a sentence that begins with the token's name; null where it is strong enough. */
export function weaknessOf(token: string): string | null {
  const how = "Make one with: openssl rand -hex 24";
  if (token.length < MIN_TOKEN_LENGTH) {
    return `has ${token.length} characters; it needs at least ${MIN_TOKEN_LENGTH}, or it could be guessed. ${how}`;
  }
  if (/[^\x21-\x7e]/.test(token)) {
    return `has a space or a character outside ASCII, which cannot be sent as a token. ${how}`;
  }
  return null;
}
