import { useState } from "react";
import type { AutoTopUp, AutoTopUpRule } from "../../../../contract/auto-top-up.ts";
import { useIsAdministrator } from "../../api/session.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { Loaded, SkeletonRows } from "../../kit/states.tsx";
import { Money, Time } from "../../kit/values.tsx";
import { AutoTopUpDialog } from "./auto-top-up-dialog.tsx";

/** The rule of automatic top-ups, and the credit that it has added this month. Administrators can change the rule. */
export function AutoTopUpCard({ account }: { account: string }) {
  const answer = useApi("GET /credits/auto-top-up", { query: { account } });
  const active = answer.data?.rule != null;
  return (
    <Card title="Automatic top-up" actions={<Badge tone={active ? "good" : "neutral"}>{active ? "on" : "off"}</Badge>}>
      <Loaded query={answer} skeleton={<SkeletonRows />}>
        {(data) => <AutoTopUpBody data={data} />}
      </Loaded>
    </Card>
  );
}

function AutoTopUpBody({ data }: { data: AutoTopUp }) {
  const administrator = useIsAdministrator();
  const [editing, setEditing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const remove = useChange("DELETE /credits/auto-top-up", ["GET /credits/auto-top-up"]);
  const { rule, account, currency } = data;
  return (
    <div className="space-y-4">
      {rule === null ? (
        <p className="text-ink-soft">
          {administrator
            ? "Adds credit automatically when the balance is low, up to a monthly maximum."
            : "Not set. An administrator can add a rule that adds credit automatically when the balance is low."}
        </p>
      ) : (
        <RuleFacts rule={rule} currency={currency} />
      )}
      {administrator && (
        <div className="flex flex-wrap gap-2">
          <Button icon={rule === null ? "plus" : "edit"} onClick={() => setEditing(true)}>
            {rule === null ? "Set a rule" : "Change"}
          </Button>
          {rule !== null && (
            <Button kind="quiet" icon="trash" onClick={() => setRemoving(true)}>
              Remove
            </Button>
          )}
        </div>
      )}
      <AutoTopUpDialog data={data} open={editing} onClose={() => setEditing(false)} />
      <ConfirmDialog
        open={removing}
        onClose={() => setRemoving(false)}
        title="Remove automatic top-up?"
        action="Remove rule"
        danger
        done="Automatic top-up removed"
        onConfirm={() => remove.mutateAsync({ query: { account } })}
      >
        No more credit is added automatically. What was added stays; requests are refused when the balance is used up.
      </ConfirmDialog>
    </div>
  );
}

function RuleFacts({ rule, currency }: { rule: AutoTopUpRule; currency: string }) {
  const { threshold_micro, amount_micro, month_limit_micro, month_used_micro, last_at } = rule;
  const used_up = month_used_micro + amount_micro > month_limit_micro;
  const money = (micro: number) => (
    <Money focusable micro={micro} currency={currency} className="font-medium text-ink" />
  );
  return (
    <div className="space-y-3 text-ink-soft">
      <p>
        When the balance would fall below {money(threshold_micro)}, {money(amount_micro)} is added.
      </p>
      <div>
        <div className="flex justify-between gap-3 text-[0.9rem]">
          <span>Added this month</span>
          <span>
            {money(month_used_micro)} of {money(month_limit_micro)}
          </span>
        </div>
        <div aria-hidden="true" className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-sunken">
          <div
            className="h-full rounded-full bg-accent"
            style={{ width: `${Math.min(100, (100 * month_used_micro) / month_limit_micro)}%` }}
          />
        </div>
        {used_up && (
          <p className="mt-1.5 text-[0.87rem] text-warn-ink">
            The monthly maximum is reached: no more is added this month.
          </p>
        )}
      </div>
      <p className="text-[0.87rem]">
        Last added: <Time at={last_at} />
      </p>
    </div>
  );
}
