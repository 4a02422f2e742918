import type { Gateway, TestKey } from "../support/gateway.ts";
import type { Draw } from "../torture/draw.ts";

/** Positions of the round's keys: see `makeRoundKeys`. */
const RICH = 0;
const POOR = 2;
const NARROW = 3;

const PAUSE_MS = { least: 200, most: 900 };
/** How long a key is out of use. */
const DISABLED_MS = 150;

export interface KeyChanges {
  /** How many changes were made. */
  readonly count: number;
  /** The keys that were out of use at some time: their calls may have been refused for that. */
  readonly disturbed: ReadonlySet<string>;
}

/**
 * Changes keys while calls are made with them, until `isOver`: other limits, a key that is disabled for a moment, a key that is
 * replaced by a new one and revoked or deleted. `keys` is what the load draws from; replaced keys are replaced in it.
 */
export async function changeKeys(
  gateway: Gateway,
  keys: TestKey[],
  draw: Draw,
  isOver: () => boolean,
): Promise<KeyChanges> {
  const disturbed = new Set<string>();
  let count = 0;
  const at = (position: number): TestKey => keys[position] as TestKey;
  const post = (id: string, action: string) => gateway.admin("POST", `/keys/${id}/${action}`);
  const changes: readonly (() => Promise<unknown>)[] = [
    () => gateway.admin("PATCH", `/keys/${at(NARROW).id}`, { concurrent: draw.whole(1, 6), rpm: draw.whole(60, 900) }),
    () => gateway.admin("PATCH", `/keys/${at(RICH).id}`, { name: `name ${draw.whole(1, 1000)}`, tpm: null }),
    async () => {
      const { id } = at(draw.one([POOR, NARROW]));
      disturbed.add(id);
      await post(id, "disable");
      await Bun.sleep(DISABLED_MS);
      await post(id, "enable");
    },
    async () => {
      const old = at(RICH);
      const made = await gateway.admin<{ id: string; key: string }>("POST", "/keys", { account: old.account });
      keys[RICH] = { ...made, account: old.account };
      disturbed.add(old.id);
      if (draw.chance(0.5)) await post(old.id, "revoke");
      else await gateway.admin("DELETE", `/keys/${old.id}`);
    },
  ];
  while (!isOver()) {
    await draw.one(changes)();
    count += 1;
    await Bun.sleep(draw.whole(PAUSE_MS.least, PAUSE_MS.most));
  }
  return { count, disturbed };
}
