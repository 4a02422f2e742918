import type { AuditEntry } from "../../../../contract/audit.ts";

/** What was done, as the rest of "Ada …". Actions that are not here are shown by their code. */
const WORDS: Readonly<Record<string, string>> = {
  "account.create": "created an account",
  "account.disable": "disabled an account",
  "account.enable": "enabled an account",
  "credit.add": "changed a balance",
  "auto_top_up.set": "set an automatic top-up",
  "auto_top_up.remove": "removed an automatic top-up",
  "key.create": "created a key",
  "key.update": "changed a key",
  "key.disable": "disabled a key",
  "key.enable": "enabled a key",
  "key.revoke": "revoked a key",
  "key.delete": "deleted a key",
  "playground_key.renew": "opened the playground",
  "user.create": "joined",
  "user.update": "changed a user",
  "user.offer-reset": "made a password-reset link",
  "user.reset-password": "reset a password",
  "invitation.create": "invited somebody",
  "invitation.withdraw": "withdrew an invitation",
  "link.create": "made a sign-in link",
  "session.open": "signed in",
  "session.close": "signed out",
  "session.refuse": "was refused a sign-in",
  "passkey.add": "added a passkey",
  "passkey.remove": "removed a passkey",
  "identity.add": "connected a company sign-in",
  "identity.remove": "disconnected a company sign-in",
  "vendor_credential.set": "set a vendor's credential",
  "vendor_credential.delete": "removed a vendor's credential",
};

export function actionWords(action: string): string {
  return WORDS[action] ?? action;
}

/** What an action is about: the part of its code before the dot. */
const NOUNS: Readonly<Record<string, string>> = {
  account: "accounts",
  credit: "balances",
  auto_top_up: "automatic top-ups",
  key: "keys",
  playground_key: "the playground",
  user: "users",
  invitation: "invitations",
  link: "sign-in links",
  session: "signing in",
  passkey: "passkeys",
  identity: "company sign-ins",
  vendor_credential: "vendors' credentials",
};

/** What can be filtered by: whole subjects first, then each action. */
export const ACTION_OPTIONS = [
  ...Object.entries(NOUNS).map(([noun, words]) => ({ value: noun, label: `All about ${words}`, note: noun })),
  ...Object.entries(WORDS).map(([action, words]) => ({
    value: action,
    label: words.charAt(0).toUpperCase() + words.slice(1),
    note: action,
  })),
];

/** Who did it, as people say it. */
export function actorWords({ kind, name }: AuditEntry["actor"]): string {
  if (kind === "admin-token") return "The admin token";
  if (kind === "gateway") return "The gateway";
  return name || (kind === "anonymous" ? "Somebody" : "The first administrator");
}
