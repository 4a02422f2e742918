import type { UserStore } from "../../core/people/users.ts";
import { networkOf } from "../network-of.ts";
import type { SubKeys } from "../sub-keys.ts";
import { keyedHash } from "./tokens.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** How many mails there may be of each kind, so that a gateway is nobody's way to flood a mailbox (docs/rulings.md 225). */
const MOST = { resets_to: 3, resets_from: 20, invitations_to: 5, invitations_by: 200 } as const;

/** Counts mails over all nodes: by recipient, by the network of who asks, and by who invites. */
export class MailLimits {
  readonly #users: Pick<UserStore, "countTry">;
  readonly #keys: SubKeys;

  constructor(users: Pick<UserStore, "countTry">, keys: SubKeys) {
    this.#users = users;
    this.#keys = keys;
  }

  /** How long a network has to wait before it may ask for another reset; 0 where it may. */
  async waitOfAsking(address: string | null): Promise<number> {
    const bucket = this.#bucket("resets_from", networkOf(address));
    const { count, resets_in_ms } = await this.#users.countTry(bucket, HOUR_MS);
    return count <= MOST.resets_from ? 0 : resets_in_ms;
  }

  /** Whether a reset may be mailed to an address, which counts one. */
  async mayMailReset(email: string): Promise<boolean> {
    const { count } = await this.#users.countTry(this.#bucket("resets_to", keyOf(email)), HOUR_MS);
    return count <= MOST.resets_to;
  }

  /** Whether somebody may have an invitation mailed to an address, which counts one. */
  async mayMailInvitation(email: string, inviter: string): Promise<boolean> {
    const by = await this.#users.countTry(this.#bucket("invitations_by", inviter), DAY_MS);
    const to = await this.#users.countTry(this.#bucket("invitations_to", keyOf(email)), DAY_MS);
    return by.count <= MOST.invitations_by && to.count <= MOST.invitations_to;
  }

  #bucket(kind: keyof typeof MOST, subject: string): string {
    return `mail-${kind}:${keyedHash(this.#keys, subject)}`;
  }
}

function keyOf(email: string): string {
  return email.trim().toLowerCase();
}
