import { Button } from "../../kit/button.tsx";
import { useAccountRole, useMay } from "../../kit/use-account.ts";

/** The end of a form with changes: saves them, or goes back to the stored values. */
export function SaveBar({
  label,
  changed,
  busy,
  onReset,
}: {
  label: string;
  changed: boolean;
  busy: boolean;
  onReset: () => void;
}) {
  const may = useMay();
  const role = useAccountRole();
  if (!may("keys:write"))
    return (
      <p className="border-t border-line pt-4 text-ink-soft">Your role, {role}, sees this and cannot change it.</p>
    );
  return (
    <div className="sticky bottom-0 z-10 flex flex-wrap items-center gap-2 border-t border-line bg-canvas py-3">
      <Button type="submit" kind="primary" busy={busy} disabled={!changed}>
        {label}
      </Button>
      {changed && !busy && (
        <Button kind="quiet" onClick={onReset}>
          Discard changes
        </Button>
      )}
    </div>
  );
}
