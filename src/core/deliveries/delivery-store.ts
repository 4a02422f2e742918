import type { AuditNote } from "../people/audit.ts";
import type { AlertFacts, AlertLook, AlertRow, OpenAlert } from "./alerts.ts";
import type {
  Claim,
  ClaimedDelivery,
  ClaimQuery,
  DeliveryQuery,
  DeliveryRecord,
  NewDelivery,
  NewLetter,
  NewTarget,
  TargetRecord,
  TryOutcome,
} from "./deliveries.ts";
import type { UsageEventStore } from "./usage-events.ts";

/** What waits to be sent, what was sent, and to whom. */
export interface DeliveryStore extends UsageEventStore {
  /** Puts a letter among what waits; one with the same id is there once. False where too many of its kind wait. */
  addLetter(letter: NewLetter): Promise<boolean>;
  addDelivery(delivery: NewDelivery): Promise<void>;
  /**
   * Takes what is due first, for a while: where its sender dies, it is due again afterwards. Of several nodes one gets it. What has waited for too
   * long is given up, as many as `given_up` says.
   */
  claimDelivery(query: ClaimQuery): Promise<{ readonly delivery: ClaimedDelivery | null; readonly given_up: number }>;
  /** Ends what was sent (no reason), or is not to be sent; a letter goes. Nothing happens where another has claimed it since. */
  endDelivery(claim: Claim, outcome: TryOutcome | null): Promise<void>;
  /** Lets wait what could not be sent, and others to the same target with it. False where its time will be over by then: it is given up. */
  delayDelivery(claim: Claim, wait_ms: number, outcome: TryOutcome): Promise<boolean>;
  /** What was told, newest first. */
  listDeliveries(query: DeliveryQuery): Promise<DeliveryRecord[]>;
  findDelivery(id: string): Promise<DeliveryRecord | null>;
  /** Sends what was told once more, under the same id. False where there is none. */
  resendDelivery(id: string, ttl_ms: number): Promise<boolean>;
  /** Deletes a few of those that were told before a time, of usage events before another, and says how many. */
  dropDeliveries(kept_since_ms: number, usage_since_ms: number): Promise<number>;
  /** The targets of all, oldest first. */
  listTargets(): Promise<TargetRecord[]>;
  findTarget(id: string): Promise<TargetRecord | null>;
  /** Rejects with a StoreConflict where there are too many. */
  addTarget(target: NewTarget, note: AuditNote): Promise<TargetRecord>;
  /** Takes a target away, and what waits for it. False where there is none. */
  removeTarget(id: string, note: AuditNote): Promise<boolean>;
  /** The target hears no more, and nothing waits for it. */
  endTarget(id: string, reason: string): Promise<void>;
  /** A target that took something again hears everything again. */
  reopenTarget(id: string): Promise<void>;
  /** The alerts that were begun, of all scopes. */
  openAlerts(): Promise<OpenAlert[]>;
  /** What alerts are found from: of some accounts, or of all (null) and the gateway; of what is `open` also where nothing is to be told of it any more. */
  readAlertFacts(accounts: readonly string[] | null, open: readonly OpenAlert[]): Promise<AlertFacts>;
  /** Whether it is this node's turn to look: of all nodes one does, every so often. */
  claimAlertLook(every_ms: number): Promise<boolean>;
  /** Decides what becomes of a scope's alerts, and puts down what is told of them, at once. Returns how many deliveries were put down. */
  lookAtAlerts(look: AlertLook): Promise<number>;
  /** What is true now for an account's targets, or for the gateway's (null), oldest first. */
  listAlerts(account_id: string | null): Promise<AlertRow[]>;
}
