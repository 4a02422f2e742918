/**
 * The token of an invitation while the invited person signs in first. It waits in this tab alone, also while a company's sign-in is open in
 * it, and never in an address that a server sees.
 */
const NAME = "camino.invitation";

export function keepInvitation(token: string): void {
  sessionStorage.setItem(NAME, token);
}

export function pendingInvitation(): string | null {
  return sessionStorage.getItem(NAME);
}

export function forgetInvitation(): void {
  sessionStorage.removeItem(NAME);
}
