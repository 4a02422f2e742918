import { PendingPage } from "../pending-page.tsx";

export function HealthPage() {
  return <PendingPage title="Health" icon="health" />;
}
