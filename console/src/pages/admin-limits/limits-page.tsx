import { PendingPage } from "../pending-page.tsx";

export function LimitsPage() {
  return <PendingPage title="Limits" icon="limits" />;
}
