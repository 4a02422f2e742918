import type { AuditEntry } from "../../../../contract/audit.ts";

/** Actions in words, shown between the actor and the object. An action without words is shown by its code. */
const WORDS: Readonly<Record<string, string>> = {
  "account.create": "created the account",
  "account.disable": "disabled the account",
  "account.update": "changed the account",
  "account.enable": "enabled the account",
  "account.tag_value": "limited a tag's value in",
  "project.tag_value": "limited a tag's value in",
  "credit.add": "changed the balance of",
  "auto_top_up.set": "set the automatic top-up of",
  "auto_top_up.remove": "removed the automatic top-up of",
  "key.create": "created the key",
  "key.update": "changed the key",
  "key.disable": "disabled the key",
  "key.enable": "enabled the key",
  "key.revoke": "revoked the key",
  "key.roll": "gave a new secret to the key",
  "key.delete": "deleted the key",
  "playground_key.renew": "opened the playground",
  "user.create": "joined",
  "user.update": "changed the user",
  "user.ask-reset": "asked by e-mail for a password-reset link for",
  "user.offer-reset": "created a password-reset link for",
  "user.reset-password": "reset a password",
  "invitation.create": "invited",
  "invitation.withdraw": "withdrew the invitation of",
  "alert.add": "added the target of alerts",
  "alert.remove": "removed the target of alerts",
  "member.add": "added to an account",
  "member.update": "changed the role of",
  "member.remove": "removed from an account",
  "member.join": "joined an account",
  "member.leave": "left an account",
  "management_key.create": "created the management key",
  "management_key.revoke": "revoked the management key",
  "link.create": "created a sign-in link",
  "session.open": "signed in",
  "session.close": "signed out",
  "session.refuse": "failed to sign in",
  "passkey.add": "added a passkey",
  "passkey.remove": "removed a passkey",
  "identity.add": "connected a company sign-in",
  "identity.remove": "disconnected a company sign-in",
  "vendor_credential.set": "set the credential of",
  "vendor_credential.delete": "removed the credential of",
  "configuration.reload": "read the configuration again from",
  "configuration.put": "changed in the configuration",
  "configuration.retire": "retired",
  "configuration.reinstate": "reinstated",
  "configuration.delete": "deleted from the configuration",
  "configuration.take-over": "took over from the file or the catalog",
  "configuration.give-back": "gave back to the file or the catalog",
  "configuration.take-back": "took back an earlier version of",
};

export function actionWords(action: string): string {
  return WORDS[action] ?? action;
}

/** Kinds of objects in words, by the part of the action's code before the dot. */
const NOUNS: Readonly<Record<string, string>> = {
  account: "accounts",
  credit: "balances",
  auto_top_up: "automatic top-ups",
  key: "keys",
  playground_key: "the playground",
  user: "users",
  member: "members of accounts",
  management_key: "management keys",
  invitation: "invitations",
  link: "sign-in links",
  session: "signing in",
  passkey: "passkeys",
  identity: "company sign-ins",
  vendor_credential: "vendors' credentials",
  configuration: "the configuration",
};

/** The options of the action filter: whole kinds of objects first, then each action. */
export const ACTION_OPTIONS = [
  ...Object.entries(NOUNS).map(([noun, words]) => ({ value: noun, label: `All about ${words}`, note: noun })),
  ...Object.entries(WORDS).map(([action, words]) => ({
    value: action,
    label: (words.charAt(0).toUpperCase() + words.slice(1)).replace(/ (of|for)$/, ""),
    note: action,
  })),
];

export function actorWords({ kind, name }: AuditEntry["actor"]): string {
  if (kind === "admin-token") return "The admin token";
  if (kind === "management-key") return `The management key ${name}`;
  if (kind === "gateway") return "The gateway";
  return name || (kind === "anonymous" ? "Someone" : "The first administrator");
}
