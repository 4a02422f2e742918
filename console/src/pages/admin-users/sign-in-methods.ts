import type { User } from "../../../../contract/users.ts";

/** A user's ways to sign in, in words: "password, 2 passkeys, Okta". Empty when the user has none. */
export function signInMethods({
  has_password,
  passkeys,
  identities,
}: Pick<User, "has_password" | "passkeys" | "identities">) {
  const ways = [
    has_password ? "password" : "",
    passkeys === 0 ? "" : passkeys === 1 ? "passkey" : `${passkeys} passkeys`,
    ...identities,
  ];
  return ways.filter((way) => way !== "").join(", ");
}
