import { createHmac } from "node:crypto";
import { decryptCredential, type EncryptedCredential, encryptCredential } from "./encrypt-credential.ts";
import type { SubKeys } from "./sub-keys.ts";

/** Addresses of alerts' targets at rest: sealed, as whoever knows one may be able to write to its channel. */
export function sealAddress({ target_address }: SubKeys, target_id: string, address: string): string {
  return JSON.stringify(encryptCredential(target_address, target_id, address));
}

/** The address that was sealed for this target; null where it was sealed with another secret or for another target. */
export function openAddress({ target_address }: SubKeys, target_id: string, sealed: string): string | null {
  return decryptCredential(target_address, target_id, JSON.parse(sealed) as EncryptedCredential);
}

/** The id of a target that the configuration's file names: the same on every node and after every start. */
export function idOfFileTarget({ target_secret }: SubKeys, channel: string, address: string): string {
  return `tgt_${createHmac("sha256", target_secret).update(`${channel}:${address}`).digest("hex").slice(0, 22)}`;
}
